"""One exercise of each kind, for the tests of the engine; not part of the course."""

from unittest.mock import patch

import numpy as np

from why_sqrt_d.exercises import (
    Questions,
    call,
    registry,
    shape_only,
    sums_to_one,
)

QUESTIONS = Questions(__file__)


QUESTIONS.numbers("0.1", lambda d: {"many": "1\u00a0000"}, d=[2**k for k in range(6, 19)])


def softmax_rows(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def over_columns(scores):
    return softmax_rows(scores.swapaxes(0, -1)).swapaxes(0, -1)


def overflowing(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


SQUARE = np.array([[1.0, 2.0], [3.0, 5.0]])

QUESTIONS.function(
    "0.8",
    softmax_rows,
    mechanisms={
        "shape": call(SQUARE, check=shape_only((2, 2))),
        "sum": call(SQUARE, check=sums_to_one),
        "values": call(np.array([[0.0, 1.0, 2.0]])),
        "stability": call(np.array([[1000.0, 1001.0]])),
        "batch": call(np.random.default_rng(0).normal(size=(2, 4, 6))),
    },
    wrong={
        "columns": over_columns,
        "not normalised": lambda s: np.exp(s - s.max(axis=-1, keepdims=True)),
        "summed away": lambda s: softmax_rows(s).sum(axis=-1),
        "base two": lambda s: softmax_rows(s * np.log(2)),
        "overflowing": overflowing,
    },
    also=[lambda s: softmax_rows(np.array(s)).tolist()],
)


EXERCISES = QUESTIONS.exercises()
(NUMBER, NEGATIVE, CHOICE, ORDER, ORDER_FREE, ARRAY, MATRIX, FUNCTION, GUESS, BET) = EXERCISES


def added():
    """Add them for the length of a `with` block."""
    every = (*EXERCISES, *registry.all_exercises())
    return patch.object(registry, "all_exercises", lambda: every)
