"""Exercises of chapter 1, "Dot products grow": numbers and functions; the words are Markdown."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from attn_helpers.saturation import normal_rows
from why_sqrt_d.exercises import (
    Array,
    Finding,
    Mechanism,
    Number,
    Questions,
    TriedNumber,
    Values,
    call,
    case,
    shape_only,
)
from why_sqrt_d.exercises.messages import four

QUESTIONS = Questions(__file__)


@QUESTIONS.numbers("1.3", a=(1, 2, 3), d=(18, 36, 45, 54, 72, 90, 180))
def _minus_to_plus(a: int = 1, d: int = 90) -> tuple[Number, Values]:
    one, both = {1: ("1/3", "1/9"), 2: ("4/3", "16/9"), 3: ("3", "9")}[a]
    variance = d * a**4 / 9
    names = {"length": 2 * a, "one": one, "both": both, "variance": variance}
    return Number(variance, rtol=1e-3), names


@QUESTIONS.numbers("1.5", vq=range(1, 5), vk=range(1, 5), m=(2, 3))
def _split(vq: int = 1, vk: int = 1, m: int = 2) -> tuple[Array, Values]:
    within, between = vk * vq, m**2 * vq
    total = within + between
    names = {"square": m**2, "within": within, "between": between, "total": total}
    right = Array([float(total), float(within), float(between)], rtol=1e-3)
    return right, names | {"share": 100 * between / total}


def try_width(width: float) -> Finding:
    """Count in how many rows of ten scores at that width one key has more than 0.99."""
    d = max(1, round(width))
    top = softmax(normal_rows(d, 10, 4000, np.random.default_rng(16))).max(axis=-1)
    share = float((top > 0.99).mean())
    line = QUESTIONS.say("1.6", "share", d=d, share=100 * share)
    if 0.45 <= share <= 0.55:
        return Finding(True, line)
    advice = QUESTIONS.say("1.6", "narrow" if share < 0.45 else "wide")
    return Finding(False, f"{line} {advice}")


class _Width(TriedNumber):
    """A whole width."""

    @property
    def table(self) -> list[list[Any]]:
        """Return what the trial shows at every width near the border, and at others."""
        widths = {round(x) for x in np.geomspace(1, 4096, 60)} | {*range(90, 200)}
        return [[float(d), *self.trial(d)] for d in sorted(widths)]


QUESTIONS.ask("1.6", _Width(134, trial=try_width, span=(1, 4096)))


@QUESTIONS.numbers("1.7", d=(25, 36, 64, 100, 144, 200, 400, 500, 625, 900, 1024))
def _unit_length(d: int = 256) -> tuple[Number, Values]:
    root = np.sqrt(d)
    return Number(root, rtol=1e-2), {"root": root, "spread": 1 / root}


@QUESTIONS.numbers("1.8", c=(1.5, 2, 2.5, 3, 3.5, 4, 4.5, 6, 7, 8, 9))
def _query_mean(c: float = 5) -> tuple[Number, Values]:
    square, root = c**2, np.sqrt(1 + c**2)
    return Number(root, rtol=5e-3), {"square": square, "sum": 1 + square, "root": root}


def louder(q: FloatArray, keys: FloatArray) -> FloatArray:
    """Return keys (n, d) whose scores with q (d,) all lie above 1000, with the same weights."""
    return np.asarray(keys + (1001 - (keys @ q).min()) * q / (q @ q))


def _scores_are_large(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    """Check that every score is above 1000."""
    if not np.isfinite(got).all():
        return QUESTIONS.say("1.9", "infinite")
    lowest = float((got @ q).min())
    return None if lowest > 1000 else QUESTIONS.say("1.9", "low", lowest=four(lowest))


def _weights_stay(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    """Check that every key has the weight that it had."""
    if got.shape != keys.shape:
        shapes = {"wanted": keys.shape, "got": got.shape}
        return QUESTIONS.say("1.9", "shape", **shapes)
    if not np.isfinite(got).all():
        return QUESTIONS.say("1.9", "infinite")
    before, after = softmax(keys @ q), softmax(got @ q)
    worst = int(np.abs(after - before).argmax())
    off = float(abs(after[worst] - before[worst]))
    if off <= (1e-7 if got.dtype.itemsize >= 8 else 1e-3):  # JAX computes in float32
        return None
    if (largest := float(np.abs(got @ q).max())) > 1e12:
        return QUESTIONS.say("1.9", "large", largest=four(largest))
    if off < 1e-4:
        return QUESTIONS.say("1.9", "rounded", key=worst, off=four(off))
    weights = {"got": four(after[worst]), "had": four(before[worst])}
    return QUESTIONS.say("1.9", "weight", key=worst, **weights)


def _both(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    return _weights_stay(got, q, keys) or _scores_are_large(got, q, keys)


def _louder_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries of several lengths and directions."""
    for about, size, d, n in (
        ("negative numbers and fractions", 1, 3, 5),
        ("one dimension", 1, 1, 3),
        ("a query of length a thousandth", 1e-3, 4, 3),
        ("a long query", 30, 8, 4),
        ("as many keys as dimensions", 1, 4, 4),
        ("one key", 1, 6, 1),
    ):
        q, keys = size * rng.standard_normal(d), rng.standard_normal((n, d))
        yield case(about, q.round(5), keys.round(3), check=_both)
    q, keys = 0.001 * rng.standard_normal(3), 1e5 * rng.standard_normal((4, 3))
    yield case("large keys", q, keys, check=_both)
    q, keys = np.array([0.1, -0.05, 0.02]), 3000 + 10 * rng.standard_normal((4, 3))
    yield case("keys far from zero", q, keys, check=_both)  # float32 shows here
    keys = rng.standard_normal((3, 3)).round(3)
    balanced = np.array([0.5, 0, -0.5])
    yield case("zeros and negative components only", balanced - 0.5, keys, check=_both)
    yield case("a query whose components sum to zero", balanced, keys, check=_both)
    yield case("whole numbers", np.array([-1, -2]), rng.integers(-3, 4, (4, 2)), check=_both)
    q, keys = rng.standard_normal(11), rng.standard_normal((int(rng.integers(20, 40)), 11))
    keys += (rng.uniform(-490, 490, (len(keys), 1)) - keys @ q[:, None]) * q / (q @ q)
    yield case("many keys, with scores from −490 to 490", q, keys, check=_both)


_FLAT = (np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))

QUESTIONS.function(
    "1.9",
    louder,
    mechanisms={
        "weights": call(*_FLAT, check=_weights_stay),
        "scores": call(*_FLAT, check=_scores_are_large),
        "signs": call(np.array([1.0, -2.0]), np.array([[0.0, 1.0], [2.0, 0.0]]), check=_both),
        "short query": call(
            np.array([0.03, 0.04]), np.array([[1.0, 0.0], [-20.0, 0.0]]), check=_both
        ),
    },
    probe=_FLAT,
    inputs=_louder_inputs,
    wrong={
        "times": lambda q, keys: 1000 * keys,
        "scores": lambda q, keys: keys @ q + 1001,
        "one key": lambda q, keys: np.concatenate([keys[:1] + 2000 * q / (q @ q), keys[1:]]),
        "same": lambda q, keys: keys,
        "constant": lambda q, keys: keys + 1000,
        "along": lambda q, keys: keys + 1000 * q,
        "length": lambda q, keys: keys + 1000 * q / np.sqrt(q @ q),
        "not enough": lambda q, keys: keys + 1000 * q / (q @ q),
    },
    also=[
        lambda q, keys: keys + 5000 * q / (q @ q),
        lambda q, keys: keys + 1e4 * np.sign(q) / np.abs(q).sum(),
    ],
)


def masked_logits(query: FloatArray, key: FloatArray) -> FloatArray:
    """Return causal logits (..., n, n) of queries and keys (..., n, d)."""
    return _logits(query, key, query.shape[-1] ** 0.5)


def _logits(
    query: FloatArray, key: FloatArray, divisor: float, diagonal: int = 0, hidden: float = -np.inf
) -> FloatArray:
    seen = np.tri(query.shape[-2], k=diagonal, dtype=bool)
    return np.where(seen, query @ key.swapaxes(-1, -2) / divisor, hidden)


def _logits_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries and keys with several axes in front."""
    for about, shape in (
        ("one token", (1, 3)),
        ("as many tokens as dimensions", (4, 4)),
        ("two axes in front", (2, 3, 4, 5)),
        ("many heads and tokens", tuple(rng.integers(11, 20, 3).tolist())),
    ):
        yield case(about, *rng.standard_normal((2, *shape)).round(3))
    yield case("whole numbers", *rng.integers(-5, 6, (2, 3, 4)))


_TOKENS = np.array([[1.0, 0, 0, 0], [0, 2, 0, 0]]), np.array([[2.0, 6, 0, 0], [4, 0, 0, 0]])

QUESTIONS.function(
    "1.10",
    masked_logits,
    mechanisms={
        "shape": call(*np.ones((2, 3, 2)), check=shape_only((3, 3))),
        "scores": call(*_TOKENS),
        "mask": call(*np.ones((2, 3, 1))),
        "heads": call(*(np.stack([x, 3 * x]) for x in _TOKENS)),
    },
    inputs=_logits_inputs,
    probe=(np.array([[2.0, 6, 0, 0]]), np.array([[4.0, 1, 0, 0]])),
    wrong={
        "not divided": lambda q, k: _logits(q, k, 1),
        "by d": lambda q, k: _logits(q, k, q.shape[-1]),
        "by n": lambda q, k: _logits(q, k, q.shape[-2] ** 0.5),
        "one too many": lambda q, k: _logits(q, k, q.shape[-1] ** 0.5, 1),
        "no mask": lambda q, k: _logits(q, k, q.shape[-1] ** 0.5, q.shape[-2]),
        "mask turned": lambda q, k: masked_logits(k, q).swapaxes(-1, -2),
        "itself hidden": lambda q, k: _logits(q, k, q.shape[-1] ** 0.5, -1),
        "with zero": lambda q, k: _logits(q, k, q.shape[-1] ** 0.5, hidden=0),
        "exchanged": lambda q, k: masked_logits(k, q),
    },
)
