"""The live check: one line on any answer, and never an exception."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from typing import Any, TextIO

from .guard import guarded, run_here
from .messages import one_line
from .model import Exercise, Job, Note, Reply, Verdict, quiet
from .progress import remember, shown_numbers
from .registry import all_exercises, get
from .typed_code import NotCode, Typed


def check(exercise_id: str, answer: Any = ..., *, numbers: int | None = None) -> Verdict:
    """Check an answer to the exercise `exercise_id`, for example ``"1.3"``.

    `answer` is a number, text, an array or a function, as the exercise asks. Anything is taken:
    nothing raises, and no call of a function runs longer than four seconds. The verdict's text is
    one line: ✓ right, ✗ wrong with the likely reason, · no answer yet. `numbers` says which
    numbers the exercise was asked with; left out, those that `exercise` showed last.

    >>> check("1.1")
    · 1.1  No answer yet: put yours in place of the three dots.
    """
    return _checked(exercise_id, answer, guarded, numbers)


def check_code(
    exercise_id: str, source: str, *, numbers: int = 0, printed: TextIO | None = None
) -> Verdict:
    """Check the text of a function, as it is typed on a page; it runs in this process.

    `np` and `ah` are there; the function that the exercise names is judged, or else the last one
    that the text defines. An experiment's text has `trial` to try values, and leaves its `answer`.
    Nothing raises, and nothing runs longer than four seconds. `printed` takes what it prints.

    >>> check_code("4.2", "def softmax_vjp(weights, grad): return weights *")
    ✗ 4.2  Line 1: invalid syntax.
    """
    return _checked(exercise_id, Typed(source), partial(run_here, printed=printed), numbers)


def _checked(
    exercise_id: str,
    answer: Any,
    guard: Callable[[Job], Reply],
    numbers: int | None = None,
) -> Verdict:
    if not isinstance(exercise_id, str):
        line = 'Write the number of the exercise in quotes, as in check("1.3", answer).'
        return Verdict("?", False, line)
    name = one_line(exercise_id, 40).strip()
    try:
        exercise = get(name)
        exercise = exercise.with_numbers(shown_numbers(name) if numbers is None else numbers)
    except KeyError:
        return Verdict(name, False, _unknown(name))
    except (TypeError, ValueError) as trouble:
        return Verdict(name, False, one_line(str(trouble)))
    judged = partial(_judged, exercise, answer)
    reply = guard(judged) if exercise.kind.runs(answer) or isinstance(answer, Typed) else judged()
    message = one_line(reply.message, 600)
    if reply.blank:
        message = "No answer yet: put yours in place of the three dots."
    told = reply.passed, message, reply.blank, reply.inputs, reply.guess
    return remember(Verdict(exercise.id, *told))


def _judged(exercise: Exercise, answer: Any, note: Note = quiet) -> Reply:
    try:
        if isinstance(answer, Typed):
            answer = answer.answer(exercise.kind)
        return exercise.judge(answer, note)
    except NotCode as refused:
        return Reply(False, str(refused))
    except Exception as error:
        # A fault of the engine's own; whatever it is, it does not make an answer right.
        name = type(error).__name__
        line = f"The check itself failed on this answer ({name}); please report it."
        return Reply(False, line)


def _unknown(name: str) -> str:
    """Say which exercises there are, and which was probably meant."""
    names = [e.id for e in all_exercises()]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    listed = ", ".join(names) if names else "none yet"
    return f"There is no exercise “{name}”.{guess} There are: {listed}."
