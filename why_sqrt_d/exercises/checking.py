"""The live check: one line on any answer, and never an exception."""

from collections.abc import Callable
from functools import partial
from typing import Any

from .answers import NotReadable
from .messages import one_line
from .model import Exercise, Job, Note, Reply, Verdict, quiet
from .progress import remember, shown_numbers
from .registry import get
from .time_limit import limited


def check(exercise_id: str, answer: Any = ..., *, numbers: int | None = None) -> Verdict:
    """Check an answer to the exercise `exercise_id`, for example ``"1.3"``.

    `answer` is a number, text, an array or a function, as the exercise asks. Anything is taken:
    nothing raises, and no call of a function runs longer than four seconds. The verdict's text is
    one line: ✓ right, ✗ wrong with the likely reason, · no answer yet. `numbers` says which
    numbers the exercise was asked with; left out, those that `exercise` showed last.

    >>> check("1.1")
    · 1.1  No answer yet: put yours in place of the three dots.
    """
    guard = limited if callable(answer) else lambda job: job(quiet)
    return checked(exercise_id, lambda found: answer, guard, numbers)


def checked(
    exercise_id: str,
    give: Callable[[Exercise], Any],
    guard: Callable[[Job], Reply],
    numbers: int | None,
) -> Verdict:
    """Judge what `give` gives for the exercise, under the guard."""
    if not isinstance(exercise_id, str):
        line = 'Write the number of the exercise in quotes, as in check("1.3", answer).'
        return Verdict(False, line)
    name = one_line(exercise_id, 40).strip()
    try:
        exercise = get(name)
        exercise = exercise.with_numbers(shown_numbers(name) if numbers is None else numbers)
    except (LookupError, TypeError, ValueError) as trouble:
        return Verdict(False, one_line(str(trouble), 600), exercise=name)
    reply = guard(partial(_judged, exercise, give))
    message = "No answer yet: put yours in place of the three dots."
    message = message if reply.blank else one_line(reply.message, 600)
    return remember(Verdict(**{**vars(reply), "message": message}, exercise=exercise.id))


def _judged(exercise: Exercise, give: Callable[[Exercise], Any], note: Note) -> Reply:
    try:
        return exercise.judge(give(exercise), note)
    except NotReadable as refused:
        return Reply(False, str(refused))
    except Exception as error:
        # A fault of the engine's own; whatever it is, it does not make an answer right.
        name = type(error).__name__
        line = f"The check itself failed on this answer ({name}); please report it."
        return Reply(False, line)
