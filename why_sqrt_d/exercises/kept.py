"""The verdicts on a notebook's answers in a small file, so that they survive a restart.

It lies in the user's data folder, is written in a running notebook only, and never half. Set
`WHY_SQRT_D_PROGRESS` to `off`, or call `keep_progress(False)`, to leave it out.
"""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from why_sqrt_d.notebook import in_notebook

SWITCH = "WHY_SQRT_D_PROGRESS"  # off, or the file's path


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
    """Tell whether a notebook runs this, and nobody switched the file off."""
    return os.environ.get(SWITCH) != "off" and in_notebook()


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
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as part:
                json.dump(found, part, ensure_ascii=False, indent=1, sort_keys=True)
            os.replace(name, path)
        except OSError:
            os.unlink(name)


def load() -> dict[str, dict[str, Any]]:
    """Return what is kept: of each exercise whether it was solved, and what was said."""
    found = _read().get("exercises") if _kept() else None
    if not isinstance(found, dict):
        return {}
    return {
        name: {"passed": entry["passed"] is True, "message": str(entry.get("message", ""))}
        for name, entry in found.items()
        if isinstance(entry, dict) and "passed" in entry
    }


def store(exercise: str, passed: bool, message: str) -> None:
    """Keep the latest verdict on one exercise, beside those that other notebooks wrote."""
    if not _kept():
        return
    found = _read()
    if found.get("keep") is False:
        return
    kept = found.get("exercises")
    entry = {exercise: {"passed": passed, "message": message}}
    _write(found | {"exercises": (kept if isinstance(kept, dict) else {}) | entry})


def keep_progress(on: bool) -> None:
    """Keep what is solved over a restart of the notebook, or, with `on` False, delete it."""
    _write({} if on else {"keep": False})
