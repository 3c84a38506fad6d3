"""How an exercise appears in a notebook: Markdown with folded parts, and plain text."""

import re
from collections.abc import Sequence
from html import escape, unescape

from why_sqrt_d.notebook import display_bundle

from .kinds.chosen import Choice, Order
from .kinds.function import Function
from .model import DRAWS, Exercise, Kind
from .progress import show_numbers
from .registry import get


def strength(position: int, count: int) -> str:
    """Name a hint's strength by its place."""
    return "gentle" if position == 0 else "strong" if position == count - 1 else "firmer"


def choices(kind: Kind) -> list[tuple[str, str]]:
    """Return what is there to choose from or to put in order: letters and texts."""
    if isinstance(kind, Choice):
        return list(kind.options.items())
    if isinstance(kind, Order):
        return [(letter, text) for letter, _, text in kind.shown]
    return []


def choices_html(kind: Kind) -> str:
    """Return the choices as an HTML list on one line; nothing if there are none."""
    rows = "".join(f"<li><b>{a}</b>: {escape(text)}</li>" for a, text in choices(kind))
    return f'<ul class="exercise-choices">{rows}</ul>' if rows else ""


def _parts(found: Exercise) -> list[tuple[str, str, str]]:
    """Return what is folded: its style, its title and its text."""
    count = len(found.hints)
    hints = [
        ("exercise-hint", f"Hint {i + 1} ({strength(i, count)})", hint)
        for i, hint in enumerate(found.hints)
    ]
    return [*hints, ("exercise-solution", "Solution", found.solution)]


def _folded(found: Exercise, css: str, title: str, body: str, opened: bool) -> str:
    opening = f'<details class="{css}" data-exercise="{found.id}"{" open" * opened}>'
    return f"{opening}<summary>{title}</summary>\n\n{body.strip()}\n\n</details>"


def _again(found: Exercise) -> str:
    """Say how to get other numbers, if there are any."""
    if not found.others:
        return ""
    return f'With other numbers: exercise("{found.id}", numbers=1) to numbers={DRAWS}.'


def markdown(exercise: Exercise, opened: Sequence[str] = ()) -> str:
    """Return the exercise as Markdown: statement, choices, hints and solution.

    The site puts its form in the place of the choices; `opened` names what is not folded.
    """
    stars = "★" * exercise.difficulty + "☆" * (3 - exercise.difficulty)
    blocks = [
        f"**Exercise {exercise.id}: {exercise.title}** {stars} "
        f"(difficulty {exercise.difficulty} of 3)",
        exercise.statement.strip(),
    ]
    if isinstance(exercise.kind, Function):
        blocks.append(f"```python\n{exercise.kind.stub.strip()}\n```")
    form = f'<div class="exercise-form" data-exercise="{escape(exercise.id)}">'
    again = f"<p>{_again(exercise)}</p>" if _again(exercise) else ""
    blocks.append(f"{form}{choices_html(exercise.kind)}{again}</div>")
    for css, title, text in _parts(exercise):
        blocks.append(_folded(exercise, css, title, text, title in opened))
    return "\n\n".join(blocks) + "\n"


def plain(found: Exercise, opened: Sequence[str] = ()) -> str:
    """Return the exercise for where no Markdown is drawn: its source, without what is folded."""
    text = re.sub(r"(?s)<details(?![^>]* open).*?</details>", "", markdown(found, opened))
    text = re.sub(r"<li><b>(\w+)</b>: ", r"\n- \1: ", text)
    text = re.sub(r"</?(?:div|ul|li|p|details|summary)\b[^>]*>", "", text)
    asks = f'exercise("{found.id}", hints={len(found.hints)})'
    return (
        re.sub(r"\n{3,}", "\n\n", unescape(text)).strip()
        + f'\n\nAnswer with check("{found.id}", …). {asks} shows the hints, '
        f'exercise("{found.id}", solution=True) the solution.'
    )


def exercise(
    exercise_id: str, *, numbers: int = 0, hints: int = 0, solution: bool = False
) -> None:
    """Display the exercise `exercise_id` in a notebook, for example ``exercise("1.3")``.

    `numbers` asks it with other numbers, where there are some: 1 to 10 (`check` judges by those
    that were shown last). Hints and solution are folded; `hints` says how many hints come
    unfolded, `solution` whether the solution does. Where no Markdown is drawn only these are
    shown; in plain Python they are printed.
    """
    found = get(exercise_id).with_numbers(numbers)
    show_numbers(found.id, numbers)
    titles = [title for _, title, _ in _parts(found)]
    opened = titles[:-1][:hints] + titles[-1:] * solution
    text = plain(found, opened)
    if not display_bundle({"text/markdown": markdown(found, opened), "text/plain": text}):
        print(text)
