"""What was solved in the notebooks, kept over a restart, and the summary.

The file lies in the user's home, is written in a running notebook only, and never half. Set
`WHY_SQRT_D_PROGRESS` to `off`, or call `keep_progress(False)`, to leave it out. While nbgrader
grades there is none: the next student's summary would show what the last one solved.
"""

import contextlib
import json
import os
from pathlib import Path

from why_sqrt_d.notebook import in_notebook

from .model import Verdict
from .registry import chapter_exercises

SWITCH = "WHY_SQRT_D_PROGRESS"  # off, or the file's path
GRADING = "NBGRADER_EXECUTION"  # nbgrader sets it

_last: dict[str, bool] = {}
_drawn: dict[str, int] = {}  # which draw of its numbers an exercise was shown with; 0: its own


def _path() -> Path:
    place = os.environ.get(SWITCH, "~/.local/share/why-sqrt-d/progress.json")
    return Path(place).expanduser()


def _kept() -> dict[str, bool] | None:
    """Return what the file holds; None where a learner's notebook should keep nothing."""
    if os.environ.get(SWITCH) == "off" or GRADING in os.environ or not in_notebook():
        return None
    try:
        file = json.loads(_path().read_text(encoding="utf-8"))
        solved = {name: kept["passed"] is True for name, kept in file["exercises"].items()}
        return solved if file["keep"] else None
    except (OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError):
        return {}  # no file, no home folder, or not a file of ours


def _write(solved: dict[str, bool], keep: bool = True) -> None:
    """Write all of it or nothing; a folder that cannot be written to is no trouble."""
    kept = {name: {"passed": passed} for name, passed in solved.items()}
    with contextlib.suppress(OSError, RuntimeError):
        path = _path()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps({"keep": keep, "exercises": kept}, indent=1), encoding="utf-8")
        part.replace(path)


def keep_progress(on: bool) -> None:
    """Keep what is solved over a restart of the notebook, or, with `on` False, delete it."""
    _write({}, keep=on)


def remember(verdict: Verdict) -> Verdict:
    """Keep that an exercise was answered, or solved: as on the page, once is for good."""
    if not verdict.blank:
        name, kept = verdict.exercise, _kept()
        _last[name] = verdict.passed or _last.get(name, False)
        if kept is not None:
            _write(kept | {name: _last[name] or kept.get(name, False)})
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

    Its text names every exercise: ✓ solved, ✗ not right yet, · not answered. What was
    solved once counts, also before the notebook was restarted (see `keep_progress`).

    >>> summary("no such chapter")
    There are no exercises in chapter “no such chapter”.
    """
    name, marks = str(chapter)[:40], {None: "·", True: "✓", False: "✗"}
    kept, asked = _kept() or {}, chapter_exercises(name)
    latest = kept | {name: solved or kept.get(name, False) for name, solved in _last.items()}
    if not asked:
        return Summary(f"There are no exercises in chapter “{name}”.")
    solved = sum(latest.get(found.id, False) for found in asked)
    lines = [f"{marks[latest.get(found.id)]} {found.id}  {found.title}" for found in asked]
    head = f"You have solved {solved} of {len(asked)} exercises of chapter {name}."
    return Summary("\n".join((head, *lines)))
