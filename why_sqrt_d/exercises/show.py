"""How an exercise appears in a notebook: Markdown with folded parts, and plain text."""

import re
from html import escape, unescape

from why_sqrt_d.notebook import display_bundle

from .kinds.chosen import Choice, Order
from .kinds.function import Function
from .model import DRAWS, Exercise, Kind
from .progress import show_numbers
from .registry import get


def choices(kind: Kind) -> list[tuple[str, str]]:
    """Return what is there to choose from or to put in order: letters and texts."""
    if isinstance(kind, Choice):
        return list(kind.options.items())
    return [(letter, text) for letter, _, text in kind.shown] if isinstance(kind, Order) else []


def choices_html(kind: Kind) -> str:
    """Return the choices as an HTML list on one line; nothing if there are none."""
    rows = "".join(f"<li><b>{a}</b>: {escape(text)}</li>" for a, text in choices(kind))
    return f'<ul class="exercise-choices">{rows}</ul>' if rows else ""


def heading(asked: Exercise) -> str:
    """Return an exercise's title in Markdown."""
    stars = "★" * asked.difficulty + "☆" * (3 - asked.difficulty)
    return f"**Exercise {asked.id}: {asked.title}** {stars} (difficulty {asked.difficulty} of 3)"


def folded(asked: Exercise, hints: int = 0, solution: bool = False) -> list[str]:
    """Return the hints and the solution, each folded but those that are asked for."""

    def fold(css: str, title: str, body: str, opened: bool) -> str:
        opening = f'<details class="{css}" data-exercise="{asked.id}"{" open" * opened}>'
        return f"{opening}<summary>{title}</summary>\n\n{body.strip()}\n\n</details>"

    parts = [
        fold("exercise-hint", f"Hint {number}", hint, number <= hints)
        for number, hint in enumerate(asked.hints, 1)
    ]
    return [*parts, fold("exercise-solution", "Solution", asked.solution, solution)]


def markdown(asked: Exercise, hints: int = 0, solution: bool = False) -> str:
    """Return the exercise as Markdown: statement, choices, hints and solution.

    The site puts its form in the place of the choices; `hints` says how many are not folded.
    """
    blocks = [heading(asked), asked.statement.strip()]
    if isinstance(asked.kind, Function):
        blocks.append(f"```python\n{asked.kind.stub.strip()}\n```")
    again = f'<p>With other numbers: exercise("{asked.id}", numbers=1) to numbers={DRAWS}.</p>'
    form = f'<div class="exercise-form" data-exercise="{asked.id}">'
    blocks.append(f"{form}{choices_html(asked.kind)}{again if asked.others else ''}</div>")
    return "\n\n".join([*blocks, *folded(asked, hints, solution)]) + "\n"


def plain(asked: Exercise, hints: int = 0, solution: bool = False) -> str:
    """Return the exercise for where no Markdown is drawn: its source, without what is folded."""
    text = markdown(asked, hints, solution)
    text = re.sub(r"(?s)<details(?![^>]* open).*?</details>", "", text)
    text = re.sub(r"<li><b>(\w+)</b>: ", r"\n- \1: ", text)
    text = re.sub(r"</?(?:div|ul|li|p|details|summary)\b[^>]*>", "", text)
    asks = f'exercise("{asked.id}", hints={len(asked.hints)})'
    return (
        re.sub(r"\n{3,}", "\n\n", unescape(text)).strip()
        + f'\n\nAnswer with check("{asked.id}", …). {asks} shows the hints, '
        f'exercise("{asked.id}", solution=True) the solution.'
    )


def exercise(
    exercise_id: str, *, numbers: int = 0, hints: int = 0, solution: bool = False
) -> None:
    """Display the exercise `exercise_id` in a notebook, for example ``exercise("1.2")``.

    `numbers` asks it with other numbers, where there are some: 1 to 10 (`check` judges by those
    that were shown last). Hints and solution are folded; `hints` says how many hints come
    unfolded, `solution` whether the solution does. Where no Markdown is drawn only these are
    shown; in plain Python they are printed.
    """
    asked = get(exercise_id).with_numbers(numbers)
    show_numbers(asked.id, numbers)
    text, source = plain(asked, hints, solution), markdown(asked, hints, solution)
    if not display_bundle({"text/markdown": source, "text/plain": text}):
        print(text)
