"""What was solved in the notebooks: the summary at the end of a handout."""

from dataclasses import dataclass

from .kept import load, store
from .model import Exercise, Verdict
from .registry import chapter_exercises

_last: dict[str, Verdict] = {}
_numbers: dict[str, int] = {}


def remember(verdict: Verdict) -> Verdict:
    """Keep the latest verdict on each exercise, and hand it back."""
    _last[verdict.exercise] = verdict
    if not verdict.blank:
        store(verdict.exercise, verdict.passed, verdict.message)
    return verdict


def show_numbers(exercise_id: str, numbers: int) -> None:
    """Note with which numbers an exercise was shown last."""
    _numbers[exercise_id] = numbers


def shown_numbers(exercise_id: str) -> int:
    """Return with which numbers an exercise was shown last; 0 for its own."""
    return _numbers.get(exercise_id, 0)


def forget() -> None:
    """Drop every verdict; for tests."""
    _last.clear()
    _numbers.clear()


@dataclass(frozen=True, repr=False)
class Summary:
    """Every exercise of a chapter, in order, with the latest verdict on it if there is one."""

    chapter: str
    rows: tuple[tuple[Exercise, Verdict | None], ...]

    @property
    def solved(self) -> int:
        """Return how many exercises are solved."""
        return sum(verdict is not None and verdict.passed for _, verdict in self.rows)

    def __str__(self) -> str:
        if not self.rows:
            return f"There are no exercises in chapter “{self.chapter}”."
        count = f"{self.solved} of {len(self.rows)} exercises"
        head = f"You have solved {count} of chapter {self.chapter}."
        lines = [f"{_mark(verdict)} {found.id}  {found.title}" for found, verdict in self.rows]
        return "\n".join((head, *lines))

    __repr__ = __str__


def _mark(verdict: Verdict | None) -> str:
    if verdict is None or verdict.blank:
        return "·"
    return "✓" if verdict.passed else "✗"


def summary(chapter: str | int) -> Summary:
    """Count the exercises of a chapter that are solved.

    Its text names every exercise: ✓ solved, ✗ not right yet, · not answered. The latest check of
    an exercise counts, also one from before the notebook was restarted (see `keep_progress`).

    >>> summary("no such chapter")
    There are no exercises in chapter “no such chapter”.
    """
    name = str(chapter)[:40]
    before = {
        key: Verdict(key, entry["passed"], entry["message"]) for key, entry in load().items()
    }
    latest = before | {key: verdict for key, verdict in _last.items() if not verdict.blank}
    rows = tuple((found, latest.get(found.id)) for found in chapter_exercises(name))
    return Summary(name, rows)
