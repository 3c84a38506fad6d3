"""How an exercise appears in a notebook: Markdown with folded hints and solution."""

from html import escape

from .kinds.function import Function
from .model import Exercise
from .registry import get


def strength(position: int, count: int) -> str:
    """Name a hint's strength by its place."""
    return "gentle" if position == 0 else "strong" if position == count - 1 else "firmer"


def _folded(summary: str, body: str, css: str, exercise_id: str) -> str:
    opening = f'<details class="{css}" data-exercise="{exercise_id}">'
    return f"{opening}<summary>{summary}</summary>\n\n{body.strip()}\n\n</details>"


def markdown(exercise: Exercise) -> str:
    """Return the exercise as Markdown: statement, form, hints and solution."""
    stars = "★" * exercise.difficulty + "☆" * (3 - exercise.difficulty)
    blocks = [
        f"**Exercise {exercise.id}: {exercise.title}** {stars} "
        f"(difficulty {exercise.difficulty} of 3)",
        exercise.statement.strip(),
    ]
    if isinstance(exercise.kind, Function):
        blocks.append(f"```python\n{exercise.kind.stub.strip()}\n```")
    blocks.append(f'<div class="exercise-form" data-exercise="{escape(exercise.id)}"></div>')
    for i, hint in enumerate(exercise.hints):
        name = f"Hint {i + 1} ({strength(i, len(exercise.hints))})"
        blocks.append(_folded(name, hint, "exercise-hint", exercise.id))
    blocks.append(_folded("Solution", exercise.solution, "exercise-solution", exercise.id))
    return "\n\n".join(blocks) + "\n"


def exercise(exercise_id: str) -> None:
    """Display the exercise `exercise_id` in a notebook, for example ``exercise("1.3")``.

    Outside of a notebook IPython prints what a notebook would show.
    """
    from IPython.display import display

    found = get(exercise_id)
    bundle = {
        "text/markdown": markdown(found),
        "text/plain": f"Exercise {found.id}: {found.title}",
    }
    display(bundle, raw=True)
