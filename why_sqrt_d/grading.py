"""What a check cell does while nbgrader grades a notebook.

nbgrader takes the value of such a cell for its points, and gives all of them if there is none.
"""

import contextlib
import io
import textwrap
from typing import Any

from .exercises import check

__all__ = ["graded"]


def graded(exercise_id: str, answer: Any = ...) -> int | None:
    """Print the verdict on an answer, for the feedback; return 0 unless it is right.

    A warning on standard error would cost all points, so it is dropped.

    >>> graded("1.2", 512)
    ✗ 1.2  That is the variance; the standard deviation is its square root.
    0
    """
    with contextlib.redirect_stderr(io.StringIO()):
        verdict = check(exercise_id, answer)
    print(textwrap.fill(str(verdict), 88, break_long_words=False))
    return None if verdict.passed else 0
