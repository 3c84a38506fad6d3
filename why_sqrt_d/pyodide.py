"""Pyodide, the Python of the pages: where its packages are published, and the version here."""

import json
from pathlib import Path

#: Where what Pyodide distributes, NumPy among it, is published for a version.
PUBLISHED = "https://cdn.jsdelivr.net/pyodide/v{}/full/"


def version_in(folder: Path) -> str:
    """Return the version of npm's package in a folder, or nothing where there is none."""
    try:
        return str(json.loads((folder / "package.json").read_text("utf-8"))["version"])
    except OSError:
        return ""
