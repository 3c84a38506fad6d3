"""An environment of its own for what is measured: uv makes it, and forgets it."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

TREE = Path(__file__).parents[1]
UV = (sys.executable, "-m", "uv")


def uv_run(python: str, needed: Iterable[str]) -> list[str]:
    """Return the words of `uv run`, in a new environment of this Python with what is needed."""
    words = [*UV, "run", "-q", "--isolated", "--no-project", f"--python={python}"]
    return words + [part for name in needed for part in ("--with", name)]


def environment() -> dict[str, str]:
    """Return the variables there: this tree can be imported, and BLAS has one thread."""
    known = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(TREE)}
    if links := os.environ.get("PIP_FIND_LINKS"):  # uv has its own name for it
        known["UV_FIND_LINKS"] = links
    return os.environ | known
