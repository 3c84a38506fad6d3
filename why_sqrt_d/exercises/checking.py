"""The live check: one line on any answer, and never an exception."""

from __future__ import annotations

from typing import Any

from .guard import guarded
from .kinds import Function
from .messages import one_line
from .model import Exercise, Reply, Verdict
from .progress import remember
from .reading import is_plain, type_name
from .registry import all_exercises, get


def check(exercise_id: str, answer: Any = ...) -> Verdict:
    """Check an answer to an exercise.

    Parameters
    ----------
    exercise_id : str
        For example ``"1.3"``.
    answer : object
        A number, text, an array or a function, as the exercise asks. Anything is taken:
        nothing raises, and nothing runs longer than about four seconds.

    Returns
    -------
    Verdict
        Its text is one line: ✓ right, ✗ wrong with the likely reason, · no answer yet.

    Examples
    --------
    >>> from why_sqrt_d.exercises import get
    >>> check("1.1", get("1.1").kind.right_answers()[0]).passed
    True
    >>> check("1.1")
    · 1.1  No answer yet: put yours in place of the three dots.
    """
    if type(exercise_id) is not str:
        line = 'Write the number of the exercise in quotes, as in check("1.3", answer).'
        return Verdict("?", False, line)
    name = one_line(exercise_id, 40).strip()
    try:
        exercise = get(name)
    except KeyError:
        return Verdict(name, False, _unknown(name))
    reply = _judged(exercise, answer)
    message = one_line(reply.message)
    if reply.blank:
        message = "No answer yet: put yours in place of the three dots."
    return remember(Verdict(exercise.id, reply.passed is True, message, reply.blank))


def _judged(exercise: Exercise, answer: Any) -> Reply:
    """Judge harmless answers at once and everything else under the guard."""
    try:
        if is_plain(answer) and (type(answer) is not str or len(answer) <= 5000):
            return exercise.judge(answer)
        if not callable(answer) and isinstance(exercise.kind, Function):
            return Reply(False, exercise.kind.not_a_function(answer))
        return guarded(lambda note: exercise.judge(answer, note))
    except Exception as error:
        # A fault of the engine's own; whatever it is, it does not make an answer right.
        line = f"The check itself failed on this answer ({type_name(error)}); please report it."
        return Reply(False, line)


def _unknown(name: str) -> str:
    """Say which exercises there are, and which was probably meant."""
    from difflib import get_close_matches

    names = [e.id for e in all_exercises()]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    listed = ", ".join(names) if names else "none yet"
    return f"There is no exercise “{name}”.{guess} There are: {listed}."
