"""Exercises of chapter 1, "Dot products grow": numbers and functions; the words are Markdown."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import Mechanism, Questions, call, case, shape_only
from why_sqrt_d.exercises.messages import four

QUESTIONS = Questions(__file__)


QUESTIONS.numbers(
    "1.2",
    lambda a, d: {"one": Fraction(a**2, 3), "both": Fraction(a**4, 9)},
    a=(1, 2, 3),
    d=(18, 36, 45, 54, 72, 90, 180),
)
QUESTIONS.numbers("1.9", vq=range(1, 5), vk=range(1, 5), m=(2, 3))


QUESTIONS.numbers("1.6", d=(25, 36, 64, 100, 144, 196, 400, 484, 625, 900, 1024))
QUESTIONS.numbers("1.10", c=(1.5, 2, 2.5, 3, 3.5, 4, 4.5, 6, 7, 8, 9))


def louder(q: FloatArray, keys: FloatArray) -> FloatArray:
    """Return keys (n, d) whose scores with q (d,) all lie above 1000, with the same weights."""
    return np.asarray(keys + (1001 - (keys @ q).min()) * q / (q @ q))


def _louder(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    """Check that every key has the weight that it had, and a score above 1000."""
    if got.shape != keys.shape:
        shapes = {"wanted": keys.shape, "got": got.shape}
        return QUESTIONS.say("1.7", "shape", **shapes)
    if not np.isfinite(got).all():
        return QUESTIONS.say("1.7", "infinite")
    before, after = softmax(keys @ q), softmax(got @ q)
    worst = int(np.abs(after - before).argmax())
    off = float(abs(after[worst] - before[worst]))
    if off <= (1e-7 if got.dtype.itemsize >= 8 else 1e-3):  # JAX computes in float32
        lowest = float((got @ q).min())
        return None if lowest > 1000 else QUESTIONS.say("1.7", "low", lowest=four(lowest))
    if (largest := float(np.abs(got @ q).max())) > 1e12:
        return QUESTIONS.say("1.7", "large", largest=four(largest))
    if off < 1e-4:
        return QUESTIONS.say("1.7", "rounded", key=worst, off=four(off))
    weights = {"got": four(after[worst]), "had": four(before[worst])}
    return QUESTIONS.say("1.7", "weight", key=worst, **weights)


def _louder_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries of several lengths and directions."""
    for about, size, d, n in (
        ("negative numbers and fractions", 1, 3, 5),
        ("one dimension", 1, 1, 3),
        ("a query far shorter than a thousandth", 2e-4, 4, 3),
        ("a long query, of positive numbers", 3e4, 8, 4),
        ("as many keys as dimensions", 1, 4, 4),
        ("one key", 1, 6, 1),
    ):
        q, keys = size * rng.standard_normal(d), rng.standard_normal((n, d)) / max(size / 10, 1)
        q = abs(q) if size > 1 else q
        yield case(about, q.round(5), keys.round(5), check=_louder)
    q, keys = 0.001 * rng.standard_normal(3), 1e5 * rng.standard_normal((4, 3))
    yield case("large keys", q, keys, check=_louder)
    q, keys = np.array([0.1, -0.05, 0]), [3e3, 3e3, 1e6] + 10 * rng.standard_normal((4, 3))
    yield case("keys far from zero", q, keys, check=_louder)  # float32 shows here
    keys = rng.standard_normal((3, 3)).round(3)
    balanced = np.array([0.5, 0, -0.5])
    yield case("zeros and negative components only", balanced - 0.5, keys, check=_louder)
    yield case("a query whose components sum to zero", balanced, keys, check=_louder)
    yield case("whole numbers", [-1, -2], rng.integers(-3, 4, (4, 2)), check=_louder)
    n, d = rng.integers(65, 80, 2)
    q, keys = rng.standard_normal(d), rng.standard_normal((n, d))
    keys += (
        (rng.permutation(499.9 - 999.8 * np.linspace(0, 1, n) ** 4) - keys @ q)[:, None]
        * q
        / (q @ q)
    )
    yield case("many keys, with scores from −499.9 to 499.9", q, keys, check=_louder)


_FLAT = (np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))

QUESTIONS.function(
    "1.7",
    louder,
    mechanisms={
        "scores": call(*_FLAT, check=_louder),
        "signs": call([-1.0, -2.0], [[0.0, 1.0], [2.0, 0.0]], check=_louder),
        "short query": call([0.03, 0.04], [[1.0, 0.0], [-20.0, 0.0]], check=_louder),
    },
    inputs=_louder_inputs,
    wrong={
        "times": lambda q, keys: 1000 * keys,
        "scores": lambda q, keys: keys @ q + 1001,
        "one key": lambda q, keys: np.concatenate([keys[:1] + 2000 * q / (q @ q), keys[1:]]),
        "same": lambda q, keys: keys,
        "constant": lambda q, keys: keys + 1000,
        "along": lambda q, keys: keys + 1000 * q,
        "sizes": lambda q, keys: keys + 2000 * np.abs(q) / (q @ q),
        "components": lambda q, keys: keys + 2000 / (len(q) * q),
        "length": lambda q, keys: keys + 1000 * q / np.sqrt(q @ q),
        "not enough": lambda q, keys: keys + 1000 * q / (q @ q),
    },
    also=[
        lambda q, keys: keys + 5000 * q / (q @ q),
        lambda q, keys: keys + 1e4 * np.sign(q) / np.abs(q).sum(),
    ],
)


def masked_logits(
    query: FloatArray,
    key: FloatArray,
    *,
    divisor: Callable[..., float] = lambda *shape: shape[-1] ** 0.5,
    diagonal: int = 0,
    hidden: float = -np.inf,
) -> FloatArray:
    """Return causal logits (..., n, n) of queries and keys (..., n, d)."""
    seen = np.tri(query.shape[-2], k=diagonal, dtype=bool)
    return np.where(seen, query @ key.swapaxes(-1, -2) / divisor(*query.shape), hidden)


def _masked_in_front(query: FloatArray, key: FloatArray) -> FloatArray:
    """Hide what an index for two axes finds: with heads in front those are not the last two."""
    logits = masked_logits(query, key, diagonal=1000)
    logits[np.triu_indices(query.shape[-2], 1)] = -np.inf
    return logits


def _hides(got: FloatArray, query: FloatArray, key: FloatArray) -> str | None:
    """Check that no number, however low, stands for what is hidden."""
    hidden = float(got[0, 1])
    if np.isnan(got).any():
        return QUESTIONS.say("1.8", "nan")
    if (got >= 0).all() and np.allclose(got.sum(axis=-1), 1):
        return QUESTIONS.say("1.8", "weights")
    low = abs(hidden) > 100 and hidden != -np.inf
    return QUESTIONS.say("1.8", "low", hidden=four(hidden)) if low else None


def _logits_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries and keys with several axes in front."""
    for about, shape in (
        ("one token, no axis in front", (1, 3)),
        ("one head, with as many tokens as dimensions", (1, 4, 4)),
        ("two axes in front", (2, 3, 4, 5)),
        ("many heads", (int(rng.integers(11, 20)), 20, 12)),
        ("seventy tokens", (2, 70, 3)),  # few numbers: a loop over each ends in time
    ):
        yield case(about, *rng.standard_normal((2, *shape)).round(3))
    yield case("whole numbers, no axis in front", *rng.integers(-5, 6, (2, 3, 4)))
    yield case(
        "very large scores, no axis in front", *(1e4 * rng.standard_normal((2, 3, 4))).round()
    )


_TOKENS = np.array([[1.0, 0, 0, 0], [0, 2, 0, 0]]), np.array([[2.0, 6, 0, 0], [4, 0, 0, 0]])

QUESTIONS.function(
    "1.8",
    masked_logits,
    mechanisms={
        "shape": call(*np.ones((2, 3, 2)), check=shape_only((3, 3))),
        "hidden": call(*np.ones((2, 2, 1)), check=_hides),
        "scores": call(*_TOKENS),
        "mask": call(*np.ones((2, 3, 1))),
        "heads": call(*(np.stack([x, 3 * x]) for x in _TOKENS)),
    },
    inputs=_logits_inputs,
    wrong={
        "not divided": {"divisor": lambda *shape: 1},
        "by d": {"divisor": lambda *shape: shape[-1]},
        "by n": {"divisor": lambda *shape: shape[-2] ** 0.5},
        "first axis": {"divisor": lambda *shape: shape[0] ** 0.5},
        "second axis": {"divisor": lambda *shape: shape[1] ** 0.5},
        "first axes": _masked_in_front,
        "tokens": lambda q, k: np.where(
            np.tri(len(q), dtype=bool), masked_logits(q, k, diagonal=1000), -np.inf
        ),
        "two axes only": lambda q, k: masked_logits(q, k, diagonal=1000 * (q.ndim > 2)),
        "one too many": {"diagonal": 1},
        "no mask": {"diagonal": 1000},
        "mask turned": lambda q, k: masked_logits(k, q).swapaxes(-1, -2),
        "itself hidden": {"diagonal": -1},
        "with zero": {"hidden": 0},
        "exchanged": lambda q, k: masked_logits(k, q),
    },
)
