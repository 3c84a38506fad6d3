"""What was solved in the notebooks: the latest verdicts, kept over a restart, and the summary.

The file lies in the user's data folder, is written in a running notebook only, and never half. Set
`WHY_SQRT_D_PROGRESS` to `off`, or call `keep_progress(False)`, to leave it out. While nbgrader
grades there is none: the next student's summary would show what the last one solved.
"""

import contextlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from why_sqrt_d.notebook import in_notebook

from .model import Exercise, Verdict
from .registry import chapter_exercises

SWITCH = "WHY_SQRT_D_PROGRESS"  # off, or the file's path
GRADING = "NBGRADER_EXECUTION"  # nbgrader sets it

_last: dict[str, Verdict] = {}
_numbers: dict[str, int] = {}


def _path() -> Path:
    if place := os.environ.get(SWITCH):
        return Path(place)
    home = Path.home()
    folder = {
        "win32": os.environ.get("APPDATA") or home / "AppData" / "Roaming",
        "darwin": home / "Library" / "Application Support",
    }.get(sys.platform, os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return Path(folder) / "why-sqrt-d" / "progress.json"


def _kept() -> bool:
    """Tell whether a learner's notebook runs this, and nobody switched the file off."""
    return os.environ.get(SWITCH) != "off" and GRADING not in os.environ and in_notebook()


def _read() -> dict[str, Any]:
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):  # none, not ours, or no home folder
        return {}
    return found if isinstance(found, dict) else {}


def _write(found: dict[str, Any]) -> None:
    """Write all of it or nothing; a folder that cannot be written to is no trouble."""
    with contextlib.suppress(OSError, RuntimeError):
        path = _path()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as part:
            json.dump(found, part, ensure_ascii=False, indent=1, sort_keys=True)
        os.replace(name, path)


def _before() -> dict[str, Verdict]:
    """Return the verdicts that are kept."""
    found = _read().get("exercises") if _kept() else None
    return {
        name: Verdict(entry["passed"] is True, str(entry.get("message", "")), exercise=name)
        for name, entry in (found.items() if isinstance(found, dict) else ())
        if isinstance(entry, dict) and "passed" in entry
    }


def keep_progress(on: bool) -> None:
    """Keep what is solved over a restart of the notebook, or, with `on` False, delete it."""
    _write({} if on else {"keep": False})


def remember(verdict: Verdict) -> Verdict:
    """Keep the latest verdict on each exercise, and hand it back."""
    _last[verdict.exercise] = verdict
    if not verdict.blank and _kept() and (found := _read()).get("keep") is not False:
        kept = found.get("exercises")
        entry = {verdict.exercise: {"passed": verdict.passed, "message": verdict.message}}
        _write(found | {"exercises": (kept if isinstance(kept, dict) else {}) | entry})
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
        marks = ["·" if v is None or v.blank else "✓" if v.passed else "✗" for _, v in self.rows]
        rows = zip(marks, (found for found, _ in self.rows), strict=True)
        lines = [f"{mark} {found.id}  {found.title}" for mark, found in rows]
        return "\n".join((f"You have solved {count} of chapter {self.chapter}.", *lines))

    __repr__ = __str__


def summary(chapter: str | int) -> Summary:
    """Count the exercises of a chapter that are solved.

    Its text names every exercise: ✓ solved, ✗ not right yet, · not answered. The latest check of
    an exercise counts, also one from before the notebook was restarted (see `keep_progress`).

    >>> summary("no such chapter")
    There are no exercises in chapter “no such chapter”.
    """
    name = str(chapter)[:40]
    latest = _before() | {key: verdict for key, verdict in _last.items() if not verdict.blank}
    rows = tuple((found, latest.get(found.id)) for found in chapter_exercises(name))
    return Summary(name, rows)
