"""Wrong functions are refused, for the right reason; right ones of other libraries pass."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from wrong_functions import WRONG, compiled, source

from why_sqrt_d.exercises import get
from why_sqrt_d.exercises.kinds.function import _pairs
from why_sqrt_d.exercises.kinds.mechanism import Mechanism, run


def solution(exercise):
    return re.search(r"```python\n(.*?)```", exercise.solution, re.DOTALL)[1]


def shared(function, mistaken, calls):
    """Tell whether two functions agree wherever the second one is wrong."""
    for call in calls:
        theirs, mine = run(mistaken, call), run(function, call)
        agree = theirs.equals(call.expected) or mine.equals(theirs)
        if not agree and not (mine.trouble and theirs.trouble):
            return False
    return True


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions_are_refused_and_no_mistake_is_named_that_was_not_made(name):
    """A mistake that is named shows on other inputs, too."""
    exercise, named = get(name), 0
    # What comes of it in use is slow, and tried with the declared mistakes.
    exercise = replace(exercise, kind=replace(exercise.kind, use=None))
    assert exercise.judge(compiled(solution(exercise))).passed
    held_out = exercise.kind.drawn(5)
    for body in WRONG[name]:
        function = compiled(source(name, body))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a wrong function does, NumPy may deplore
            reply = exercise.judge(function)
        assert not reply.passed, body
        assert body.partition("  # ")[2] in reply.message, (body, reply.message)
        every = (*exercise.wrong, *_pairs(exercise.wrong))
        known = [w for w in every if reply.message.startswith(w.say)]
        known = [w for w in known if w.say == known[-1].say]  # one mistake, in one way or several
        named += bool(known)
        assert not known or any(shared(function, w.answer, held_out) for w in known), body
    assert named


@pytest.mark.parametrize("name", WRONG)
def test_what_changes_its_input_or_draws_at_random_is_refused(name):
    kind = get(name).kind
    takes_array = isinstance(kind.trials[0].args[0], np.ndarray)

    def right_at_first(times):
        calls = []

        def forgets(*args, **options):
            calls.append(1)
            return kind.reference(*args, **options) if len(calls) <= times else 0.0

        return forgets

    def spoils(*args, **options):
        result = np.copy(kind.reference(*args, **options))
        args[0][...] = 1
        return result

    for times in (len(kind.trials), len(kind.trials) + 1):  # the first call again, and the last
        reply = kind.judge(right_at_first(times), ())
        assert not reply.passed
        assert "two results for one input" in reply.message
    if takes_array:
        assert "changed its own input. Work on a copy of " in kind.judge(spoils, ()).message


def test_one_call_that_changes_its_input_is_enough():
    kind = get("4.2").kind
    first = kind.trials[0].args[0].copy()

    def spoils_the_first(weights, grad):
        result = kind.reference(weights, grad)
        if np.array_equal(weights, first):
            weights[...] = 1
        return result

    assert "changed its own input. Work on a copy of w" in kind.judge(spoils_the_first, ()).message


def test_what_was_done_to_the_right_result_is_named():
    exercise = get("4.2")
    for said, spoilt in {
        "minus the right": lambda x: 0 - x,
        "in the opposite order": lambda x: np.flip(x, axis=0),
        "half of the right": lambda x: 0.5 * x,
        "twice the right": lambda x: x + x,
        "the square of": lambda x: x * x,
        "lost their sign": lambda x: np.hypot(x, 0),
        "rounded": lambda x: np.round(1000 * x) / 1000,
    }.items():
        reply = exercise.judge(lambda *a, s=spoilt: s(np.asarray(exercise.kind.reference(*a))))
        assert said in reply.message, reply


def test_what_is_said_to_be_weights_is():
    for call in get("4.2").kind.trials:
        assert np.min(call.args[0]) >= 0
        assert np.allclose(np.sum(call.args[0], axis=-1), 1)


def test_the_mistake_comes_first():
    reply = get("4.2").judge(compiled(source("4.2", "weights * grad")))
    assert reply.message.startswith("You multiplied by diag(p) only")
    assert len(reply.inputs) == 2


def test_what_only_random_inputs_show_is_said_with_the_input():
    body = "weights * (grad - (weights * grad).sum(axis=-1, keepdims=True)) * (len(grad) != 5)"
    reply = get("4.2").judge(compiled(source("4.2", body)))
    assert reply.message.endswith("of 10 others. What fails has: five rows of three.")
    assert str(reply).endswith("The arguments are in check(…).inputs.")
    assert reply.inputs[0].shape == (5, 3)


def test_a_number_that_begins_like_the_right_one_is_not_called_close():
    """13 is not 13.67 with the last digits left out."""
    found = get("6.6").judge(compiled("def f(s, t, b): return round(-4.0, 0) if b == 0 else 0.1"))
    assert "digits after" not in found.message


class Tensor:
    """What PyTorch's tensors do: no array while a gradient is recorded."""

    def __init__(self, array, recording=True):
        self.array, self.recording = array, recording

    def detach(self):
        return Tensor(self.array, False)

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        assert not self.recording
        return self.array


def test_only_a_result_is_finite():
    """What raised has none, and hides no mistake."""
    call = Mechanism("one", (np.array([4.0, -1.0]),), "")
    assert run(np.abs, call).finite
    with np.errstate(invalid="ignore"):
        assert not run(np.sqrt, call).finite
    assert not run(lambda x: x[7], call).finite


def test_a_tensor_that_records_its_gradient_is_read():
    """And if it was computed in float32, with the rounding of float32 in large numbers."""
    kind = get("4.2").kind
    for dtype in ("f8", "f4"):

        def narrow(*args, dtype=dtype):
            return Tensor(kind.reference(*(one.astype(dtype) for one in args)))

        assert kind.judge(narrow, ()).passed
