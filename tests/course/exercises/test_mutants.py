"""Wrong functions, made by program and by hand: nearly all are refused, for the right reason."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from mutants import mutants
from wrong_functions import PLAIN, WRONG, compiled, source

from why_sqrt_d.exercises import get
from why_sqrt_d.exercises.kinds.mechanism import run

#: What passes though its source differs: exercises, a pattern of the change, and why it is right.
SAME = (
    (
        "1.9 2.7 3.3 3.8 4.2 4.3 5.7 6.9 7.4 7.5 7.7 7.10",
        r"→ np\.nan_to_num",
        "finite numbers stay",
    ),
    ("1.9", r"^q → q\.(clip|astype)", "whatever is added, all keys of the row share it"),
    ("1.9", r"^2000 → 2001$", "more than is needed"),
    ("2.7 3.8 6.9 7.7", r"→ return abs", "what is returned is not negative"),
    ("3.3", r"^-?2(\.0)? \* np.sign\(q\) → ", "a sign is its own inverse"),
    ("3.3", r"^q → q.(clip|astype\(np.float32)", "only the signs of q are used"),
    ("3.3", r"np.round\(keys, 2\)$", "the components are 2 and −2"),
    ("3.3 3.10", r"^n → (abs|round)", "a number of keys is positive and whole"),
    ("3.8", r"^x → x\.(astype|round)", "what is subtracted may be near the maximum only"),
    ("3.8", r"^axis → round", "an axis is a whole number"),
    ("3.10", r"^[01] → ", "which key stands out, and by how much, is normalised away"),
    ("3.10", r"^z(\.mean\(\)| - z\.mean\(\)) → ", "a softmax does not see what all keys share"),
    ("3.10", r"→ \[z, -8 \* z\]$", "a list of two rows is as good"),
    ("3.10", r"→ return np.round", "the rows do not ask for more than two digits"),
    ("3.10", r"→ -8 / z$", "of two values the inverses are as far apart, and turned round"),
    ("4.2", r"^weights → .*(abs|clip|maximum)", "weights lie between 0 and 1"),
    ("4.3 5.7 7.7", r"^-1 → 1$", "with two axes the last one is axis 1"),
    ("5.7", r"^targets → ", "targets are whole numbers from 0"),
    ("6.9", r"^(scales|accuracies) → .*(abs|maximum)", "none of them is below zero"),
    ("6.9", r"^accuracies → .*clip", "accuracies end at 1"),
    ("6.9", r"^scales → scales.astype\(np.float32\)", "for their order seven digits are enough"),
    ("7.4", r"→ np\.tri\(n\)$", "np.where asks only whether an entry is zero"),
    ("7.5", r"^1 → 2$", "reshape takes -2 for “what is left”, as it takes -1"),
    ("7.5 7.10", r"^heads → ", "a number of heads is positive and whole"),
    ("7.7 7.10", r"^(cap|scale) → abs", "the scale and the cap are positive"),
    ("7.7", r"^mask → ", "np.where asks only whether an entry is zero"),
)


def same(exercise, change):
    return any(exercise in ids.split() and re.search(x, change) for ids, x, _ in SAME)


def solution(exercise):
    return re.search(r"```python\n(.*?)```", exercise.solution, re.DOTALL)[1]


def tried(exercise):
    """Yield every wrong function with its change and the reply to it."""
    base = source(exercise.id, PLAIN[exercise.id]) if exercise.id in PLAIN else solution(exercise)
    for right in (base, solution(exercise)):
        assert exercise.judge(compiled(right)).passed, exercise.judge(compiled(right))
    bodies = (source(exercise.id, body) for body in WRONG[exercise.id])
    texts = [*((text, text) for text in bodies), *mutants(base)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a wrong function does, NumPy may deplore
        for change, text in texts:
            function = compiled(text)
            yield change, function, exercise.judge(function)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions_are_refused_and_no_mistake_is_named_that_was_not_made(name):
    """Of each hundred, 95 are refused; a mistake that is named shows on other inputs, too."""
    exercise = get(name)
    exercise = replace(exercise, kind=replace(exercise.kind, use=None))  # it decides nothing
    held_out = exercise.kind.drawn(5)
    passed, named, count = [], 0, 0
    for change, function, reply in tried(exercise):
        if reply.passed and same(name, change):
            continue
        count += 1
        if reply.passed:
            passed.append(change)
        for known in (w for w in exercise.wrong if w.say in reply.message):
            named += 1
            for call in held_out:
                theirs = run(known.answer, call)
                agree = theirs.equals(call.expected) or run(function, call).equals(theirs)
                assert agree, (change, known.say, call.say)
    assert count >= 50
    assert named
    assert passed == []


@pytest.mark.parametrize("name", WRONG)
def test_what_changes_its_input_or_draws_at_random_is_refused(name):
    kind = get(name).kind
    takes_array = isinstance(kind.probe[0], np.ndarray)

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
        assert "two results for one input" in kind.judge(right_at_first(times), ()).message
    if takes_array:
        assert "changed its own input. Work on a copy of " in kind.judge(spoils, ()).message


def test_all_that_fails_is_listed_and_the_first_is_explained():
    reply = get("4.2").judge(compiled(source("4.2", "weights * grad")))
    assert "You multiplied by diag(p) only" in reply.message
    assert reply.message.endswith("Also not right yet: one row, rows, more axes, random inputs.")
    assert len(reply.inputs) == 2


def test_what_only_random_inputs_show_is_said_with_the_input():
    body = "weights * (grad - (weights * grad).sum(axis=-1, keepdims=True)) * (len(grad) != 5)"
    reply = get("4.2").judge(compiled(source("4.2", body)))
    assert "this input has five rows of three. What do you take for granted?" in reply.message
    assert "The arguments are in check(…).inputs." in reply.message
    assert reply.inputs[0].shape == (5, 3)


def test_a_number_that_begins_like_the_right_one_is_not_called_close():
    """13 is not 13.67 with the last digits left out."""
    found = get("5.7").judge(compiled("def f(s, t, b): return round(-4.0, 0) if b == 0 else 0.1"))
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
        if self.recording:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return np.asarray(self.array)


@pytest.mark.parametrize("name", WRONG)
def test_right_functions_of_other_libraries_pass(name):
    kind = get(name).kind

    def single(*args, **options):
        return np.asarray(kind.reference(*args, **options)).astype("float32")

    assert kind.judge(lambda *a, **o: Tensor(kind.reference(*a, **o)), ()).passed
    assert kind.judge(lambda *a, **o: Tensor(single(*a, **o)), ()).passed
    if not isinstance(kind.probe[0], np.ndarray):
        return  # nothing has a type that could be kept
    reply = kind.judge(single, ())
    assert "digits after that" in reply.message or "rounded to float32" in reply.message
