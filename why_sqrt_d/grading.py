"""What a check cell does while nbgrader grades a notebook: it shows the verdict, then its points.

nbgrader takes the value of such a cell for the points; without a value it gives all of them.
"""

import contextlib
import io
from typing import Any

from .exercises import check, get

__all__ = ["graded", "points"]


def points(exercise_id: str) -> float:
    """Return what an exercise is worth: one point for each star of its difficulty.

    >>> points("1.2")
    1.0
    """
    return float(get(exercise_id).difficulty)


def graded(exercise_id: str, answer: Any = ...) -> float:
    """Show the verdict on an answer, for the feedback, and return its points.

    A warning on standard error would make nbgrader give none, so it is dropped.

    >>> graded("1.2", 512)
    ✗ 1.2  That is the variance; the standard deviation is its square root.
    0.0
    """
    with contextlib.redirect_stderr(io.StringIO()):
        verdict = check(exercise_id, answer)
    print(verdict)
    return points(exercise_id) if verdict.passed else 0.0
