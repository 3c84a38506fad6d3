"""Answers that people gave to the course's exercises, with what they should be told."""

import numpy as np
import pytest

from why_sqrt_d.ch3.questions import normalised, sharpest, stable_softmax
from why_sqrt_d.exercises import Order, all_exercises, check

EXERCISES = {exercise.id: exercise for exercise in all_exercises()}


def letters(exercise_id, *keys):
    return EXERCISES[exercise_id].kind.letters(keys)


def log_of_a_weight(scores, targets, scale):
    def loss(beta):
        p = np.exp(beta * scores - (beta * scores).max(axis=-1, keepdims=True))
        p = p / p.sum(axis=-1, keepdims=True)
        return np.mean(-np.log(p[np.arange(len(p)), targets]))

    return (loss(scale + 1e-5) - loss(scale - 1e-5)) / 2e-5


def slope_of_each_row(scores, targets, scale):
    p = np.exp(scale * scores) / np.exp(scale * scores).sum(axis=-1, keepdims=True)
    return (p * scores).sum(axis=-1) - scores[np.arange(len(scores)), targets]


def less_the_mean(x, axis=-1):
    shown = np.where(np.isinf(x), np.nan, x)
    return normalised(x - np.nanmean(shown, axis=axis, keepdims=True), axis)


def less_the_minimum(x, axis=-1):
    return normalised(x - x.min(axis=axis, keepdims=True), axis)


RIGHT = [
    ("3.2", "0,597; 0,993"),
    ("3.2", "p = 0.597, 0.993"),
    ("3.4", "x = 1.506"),
    ("3.4", "ln(9e5)/ln(9e3)"),
    ("3.5", "2.67 2.83"),
    ("3.6", "≈ 37 %"),
    ("3.6", 1500 / 4096),
    ("3.9", "option c"),
    ("3.9", ["c"]),
    ("5.2", "β = 0.5"),
    ("5.8", "13 360"),
    ("5.8", 13000),
    ("5.9", "50*(tanh(2) - tanh(1.8))"),
    ("5.9", "50 tanh 2 − 50 tanh 1.8"),
    ("5.9", 0.86),
    ("5.6", " < ".join(letters("5.6", "none", "half", "root", "twice", "linear"))),
    ("5.6", np.array(list(letters("5.6", "none", "half", "root", "twice", "linear")))),
]

WRONG = [
    ("3.2", [0.597, 0.9], "Only number 2 is not right; yours is 0.9."),
    ("3.2", "0.6 0.99", "Number 1 is close: keep more digits"),
    ("3.2", 0.597, "Two numbers are asked for; yours is one."),
    (
        "3.2",
        "0,597, 0,993",
        "Two numbers are asked for; yours are four. Write decimals with a point.",
    ),
    ("3.2", {0.597, 0.993}, "A set has no order: use a list."),
    ("3.3", lambda q, n: np.tile(2 * np.sign(q), (n, 1)), "push the others the other way"),
    ("3.3", lambda q, n: sharpest(q, n).T, "should have shape"),
    ("3.4", "5/3", "the margin has ln 9 in it as well"),
    ("3.6", 0.61, "e to the entropy"),
    ("3.5", "2.7 2.8", "Number 1 is close: keep more digits"),
    ("3.8", less_the_mean, "Subtract the maximum first"),
    ("3.8", less_the_minimum, "Subtract the maximum first"),
    ("3.8", lambda x, axis=-1: stable_softmax(np.clip(x, -700, 700), axis), "Cutting the logits"),
    ("3.8", lambda x, axis=-1: stable_softmax(x, 1), "A row may be a plain vector"),
    ("5.7", log_of_a_weight, "and so is the logarithm of a weight of exp(−2000)"),
    ("5.7", slope_of_each_row, "should give one number; yours has shape (2,). You return one"),
    ("5.7", lambda *_: np.ones(3), "should give one number; yours has shape (3,). Return one"),
    ("5.8", "exp(9)", "The price of the scatter"),
    ("5.9", "10*(1 - tanh(1.9)^2)", "That is 10 times the slope at 95"),
    ("5.9", 0.8561, "That is 10 times the slope at 95"),
]


@pytest.mark.parametrize(("exercise_id", "answer"), RIGHT)
def test_a_right_answer_is_taken(exercise_id, answer):
    verdict = check(exercise_id, answer)
    assert verdict, verdict


@pytest.mark.parametrize(("exercise_id", "answer", "part"), WRONG)
def test_a_wrong_answer_is_told_its_mistake(exercise_id, answer, part):
    verdict = check(exercise_id, answer)
    assert not verdict
    assert part in verdict.message, verdict


NEEDS = [
    (e, need) for e in EXERCISES.values() if isinstance(e.kind, Order) for need in e.kind.needs
]


def broken(exercise, need):
    """Return the right order with the need's first step moved to just before its second."""
    keys = [key for key, _ in exercise.kind.steps if key != need[0]]
    keys.insert(keys.index(need[1]), need[0])
    return tuple(keys)


@pytest.mark.parametrize(
    ("exercise", "need"),
    [(e, need) for e, need in NEEDS if broken(e, need) not in [w.answer for w in e.wrong]],
    ids=lambda x: getattr(x, "id", None) or f"{x[0]}-{x[1]}",
)
def test_a_broken_need_reads_as_a_sentence(exercise, need):
    first, second = exercise.kind.letters(need[:1]), exercise.kind.letters(need[1:2])
    said = check(exercise.id, broken(exercise, need)).message
    assert said == f"{first} stands before {second}, but {need[2].rstrip('.')}."
