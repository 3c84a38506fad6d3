"""Numbers and functions of chapter 6's exercises; their words are in questions.md."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import (
    Mechanism,
    Questions,
    Values,
    call,
    case,
    one_number,
)

QUESTIONS = Questions(__file__)


def _hot(scores: FloatArray, beta: float) -> Values:
    z = np.array(scores, dtype=float)
    gaps = z - z.mean()
    names = {"z": z, "mean": z.mean(), "gaps": gaps, "cold": 1.0 * (z == z.max())}
    return names | {"weights": (0.25 + beta * gaps / 4).round(12), "exact": softmax(beta * z)}


QUESTIONS.numbers(
    "6.1",
    _hot,
    scores=lambda random: tuple(
        random.choice((-2, -1, 2, 3))  # with the mean 1 two mistakes give the same
        * np.ones(4, int)
        + random.sample(random.choice(((4, 0, -4, 0), (3, 1, -1, -3), (4, -1, -1, -2))), 4)
    ),
    beta=(0.01, 0.02),
)
QUESTIONS.numbers(
    "6.2", a=(0.2, 0.3, 0.4, 0.6, 0.7, 0.8), d=(16, 64, 256), n=(200, 500, 1000, 5000)
)


def _capacity(root: int) -> Values:
    written = f"{float(f'{np.exp(root - 0.5):.4g}'):,.0f}"  # with four digits, in groups of three
    other_root = 8 if root in (9, 10, 12) else 10
    return {"other_root": other_root, "capacity": written.replace(",", r"\,")}


QUESTIONS.numbers("6.7", _capacity, root=range(5, 17))
QUESTIONS.numbers("6.8", inverse=(2, 4, 5, 8), root=(8, 10, 12, 16, 20, 32))

Targets = NDArray[np.int64]


def _normalised(logits: FloatArray) -> FloatArray:
    p = np.exp(logits)
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def _right(scores: FloatArray, targets: Targets) -> FloatArray:
    return scores[np.arange(len(scores)), targets]


def scale_slope(
    scores: FloatArray,
    targets: Targets,
    scale: float,
    *,
    weights: Callable[[FloatArray], FloatArray] = softmax,
    over_rows: Callable[[FloatArray], Any] = np.mean,
) -> Any:
    """Return the mean over rows of E_p[s] - s_target."""
    return over_rows((weights(scale * scores) * scores).sum(axis=-1) - _right(scores, targets))


def _slope_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw rows of scores of order one with a target each, and some that are far apart."""
    for about, (rows, n), scale in (
        ("negative scores and fractions", (2, 3), 0.8),
        ("one row", (1, 5), 1.3),
        ("five rows of four keys", (5, 4), 0.5),
        ("as many rows as keys", (4, 4), 2.0),
        ("one key a row", (3, 1), 0.7),
        ("a negative scale", (3, 6), -0.6),
        ("seventy keys a row", (7, 70), 0.9),
        ("many rows and a negative scale", (int(rng.integers(11, 20)), 12), -0.4),
    ):
        scores = (1.5 * rng.standard_normal((rows, n)) - 0.5).round(2)
        yield case(about, scores, rng.integers(0, n, rows), scale)
    yield case("whole numbers", rng.integers(-4, 5, (3, 4)), rng.integers(0, 4, 3), 0.5)
    low = np.array([[2e4], [300.0], [-2e4], [0.0]]) + rng.standard_normal((4, 5)).round(2)
    yield case("rows that are far apart", low, rng.integers(0, 5, 4), 1.2)
    yield case("scores far apart and a negative scale", 1e3 * np.eye(3), np.arange(3), -1.5)
    yield case("very large scores and a scale of zero", [[0.0, 1e6, 4e6]], [0], 0.0)
    little = case("very large scores and little weight", [[0.0, 2e12, 3e12]], [0], -1e-11)
    close = case("close scores far from zero", [[1e4, 1e4 + 1]], [0], 0.8)
    yield from (replace(x, rtol=1e-6) for x in (little, close))  # right ones lose some digits here


_PAIR = np.array([[0.0, 2.0], [3.0, 1.0]])

QUESTIONS.function(
    "6.6",
    scale_slope,
    mechanisms={
        "one number": call(_PAIR, [1, 1], 1.0, check=one_number),
        "uniform": call([[0.0, 4.0, 5.0]], [2], 0.0),
        "weights": call([[0.0, 2.0, 5.0]], [1], 1.0),
        "scale": call([[0.0, 2.0, 1.0]], [2], 0.5),
        "rows": call(_PAIR, [0, 1], 0.7),
        "stability": call([[0.0, 2000.0]], [0], 1.0, overflow=True),
        "rows far apart": call([[0.0, 1.0], [2000.0, 2001.0]], [0, 0], 1.0, overflow=True),
    },
    inputs=_slope_inputs,
    wrong={
        "a slope a row": {"over_rows": np.asarray},
        "turned": lambda s, t, scale: -scale_slope(s, t, scale),
        "in ln β": lambda s, t, scale: scale * scale_slope(s, t, scale),
        "plain mean": lambda s, t, scale: np.mean(s.mean(axis=-1) - _right(s, t)),
        "first key": lambda s, t, scale: scale_slope(s, 0 * t, scale),
        "largest": lambda s, t, scale: scale_slope(s, s.argmax(axis=-1), scale),
        "β = 1": lambda s, t, scale: scale_slope(s, t, 1.0),
        "sum": {"over_rows": np.sum},
        "median": {"over_rows": np.median},
        "no logarithm": lambda s, t, scale: np.mean(
            _right(softmax(scale * s), t) * ((softmax(scale * s) * s).sum(axis=-1) - _right(s, t))
        ),
        "columns": {"weights": lambda z: softmax(z, axis=0)},
        "overflow": {"weights": _normalised},
        "common maximum": {"weights": lambda z: _normalised(z - z.max())},
        "number": lambda s, t, scale: np.mean((softmax(scale * s) * s).sum(axis=-1) - t),
        "from 1": lambda s, t, scale: scale_slope(s, t - 1, scale),
        "all targets": lambda s, t, scale: np.mean(
            (softmax(scale * s) * s).sum(axis=-1, keepdims=True) - s[:, t]
        ),
        "loss": lambda s, t, scale: -np.mean(np.log(_right(softmax(scale * s), t))),
        "divided": lambda s, t, scale: scale_slope(s, t, 1 / np.float64(scale)),
        "variance": lambda s, t, scale: np.mean(
            (softmax(scale * s) * s**2).sum(axis=-1) - (softmax(scale * s) * s).sum(axis=-1) ** 2
        ),
    },
    also=[
        lambda s, t, scale: scale_slope(s - s.max(axis=-1, keepdims=True), t, scale),
        lambda s, t, scale: float(
            np.mean(np.sum((softmax(scale * s) - np.eye(s.shape[1])[t]) * s, axis=1))
        ),
    ],
)
