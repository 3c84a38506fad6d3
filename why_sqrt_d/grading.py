"""What a check cell does while nbgrader grades a notebook.

nbgrader takes the value of such a cell for its points, and gives all of them if there is none.
"""

import contextlib
import io
import textwrap
from pathlib import Path
from typing import Any

from .exercises import check
from .exercises.handout import own_numbers
from .exercises.model import Verdict
from .exercises.progress import shown_numbers


def graded(exercise_id: str, answer: Any = ..., *, numbers: int = 0) -> int | None:
    """Print the verdict on an answer, for the feedback; return 0 unless it is right.

    >>> graded("1.2", 90)
    ✗ 1.2  That is d, as for components of variance one; uniform ones on (−1, 1) have 1/3.
    0
    """
    return _said(_judged(exercise_id, answer, numbers))


def graded_own(exercise_id: str, answer: Any = ...) -> int | None:
    """Judge an answer by the numbers of the student whose notebook it is.

    nbgrader runs a notebook in `autograded/<id>/<assignment>`: that id decides, not the one that
    stands in the notebook.
    """
    student = Path.cwd().parent.name
    numbers = own_numbers(student, exercise_id)
    verdict = _judged(exercise_id, answer, numbers)
    if not verdict.passed and shown_numbers(exercise_id) not in (0, numbers):
        print(f"≠ This was asked with the numbers of another id; yours is {student}.")
    return _said(verdict)


def _judged(exercise_id: str, answer: Any, numbers: int) -> Verdict:
    """Return the verdict; a warning on standard error would cost all points, so it is dropped."""
    with contextlib.redirect_stderr(io.StringIO()):
        return check(exercise_id, answer, numbers=numbers)


def _said(verdict: Verdict) -> int | None:
    """Print a verdict, and return the points as nbgrader wants them."""
    print(textwrap.fill(str(verdict), 88, break_long_words=False))
    return None if verdict.passed else 0
