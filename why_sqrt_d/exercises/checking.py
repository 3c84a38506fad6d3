"""The live check: one line on any answer, and never an exception."""

import os
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from .answers import NotReadable
from .messages import one_line
from .model import Exercise, Verdict
from .progress import remember, shown_numbers
from .registry import get


def check(exercise_id: str, answer: Any = ..., *, numbers: int | None = None) -> Verdict:
    """Check an answer to the exercise `exercise_id`, for example ``"1.2"``.

    `answer` is a number, text, an array or a function, as the exercise asks. Anything is taken:
    nothing raises, and no call of a function works for longer than four seconds. The verdict's
    text is one line: ✓ right, ✗ wrong with the likely reason, · no answer yet. `numbers` says
    which numbers the exercise was asked with; left out, those that `exercise` showed last.

    >>> check("1.1")
    · 1.1  No answer yet: put yours in place of the three dots.
    """
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        return checked(exercise_id, lambda found: answer, numbers)


def checked(
    exercise_id: str, give: Callable[[Exercise], Any], numbers: int | None = None
) -> Verdict:
    """Judge what `give` gives for the exercise."""
    if not isinstance(exercise_id, str):
        line = 'Write the number of the exercise in quotes, as in check("1.2", answer).'
        return Verdict(False, line)
    name = one_line(exercise_id, 40).strip()
    try:
        exercise = get(name)
        exercise = exercise.with_numbers(shown_numbers(name) if numbers is None else numbers)
    except (LookupError, TypeError, ValueError) as trouble:
        return Verdict(False, one_line(str(trouble), 600), exercise=name)
    try:
        verdict = exercise.judge(give(exercise))
    except NotReadable as refused:
        verdict = Verdict(False, str(refused))
    except Exception as error:
        # A fault of the engine's own; whatever it is, it does not make an answer right.
        line = f"The check itself failed on this answer ({type(error).__name__})"
        verdict = Verdict(False, f"{line}; please report it.")
    message = "No answer yet: put yours in place of the three dots."
    message = message if verdict.blank else one_line(verdict.message, 600)
    return remember(replace(verdict, message=message, exercise=exercise.id))
