"""What was answered in this session of the notebook, and the summary."""

from .model import Verdict
from .registry import chapter_exercises

_last: dict[str, bool] = {}
_drawn: dict[str, int] = {}  # which draw of its numbers an exercise was shown with; 0: its own


def remember(verdict: Verdict) -> Verdict:
    """Note that an exercise was answered, or solved: as on the page, once is for good."""
    if not verdict.blank:
        _last[verdict.exercise] = verdict.passed or _last.get(verdict.exercise, False)
    return verdict


def show_numbers(exercise_id: str, draw: int) -> None:
    """Note with which draw of its numbers an exercise was shown last."""
    _drawn[exercise_id] = draw


def shown_numbers(exercise_id: str) -> int:
    """Return with which draw of its numbers an exercise was shown last; 0 for its own."""
    return _drawn.get(exercise_id, 0)


class Summary(str):
    """Text that a notebook shows as it stands."""

    __repr__ = str.__str__


def summary(chapter: str | int) -> Summary:
    """Count the exercises of a chapter that are solved.

    Its text names every exercise: ✓ solved, ✗ not right yet, · not answered since the notebook
    was started. What was solved once counts.

    >>> summary("no such chapter")
    There are no exercises in chapter “no such chapter”.
    """
    name, marks = str(chapter)[:40], {None: "·", True: "✓", False: "✗"}
    asked = chapter_exercises(name)
    if not asked:
        return Summary(f"There are no exercises in chapter “{name}”.")
    solved = sum(_last.get(found.id, False) for found in asked)
    lines = [f"{marks[_last.get(found.id)]} {found.id}  {found.title}" for found in asked]
    head = f"You have solved {solved} of {len(asked)} exercises of chapter {name}."
    return Summary("\n".join((head, *lines)))
