"""Exercises of chapter 2, "The variance proof": numbers and functions; the words are Markdown."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import Mechanism, Questions, Seed, call, case, shape_only
from why_sqrt_d.exercises.messages import four

QUESTIONS = Questions(__file__)


QUESTIONS.numbers("2.2", inverse=(2, 4, 5), root=(8, 10, 12, 16, 20, 32))
QUESTIONS.numbers("2.4", sigma=(0.01, 0.02, 0.03), width=(512, 1024, 1600), d=(64, 100, 144))
QUESTIONS.numbers("2.7", r=range(3, 6), d=(6, 8, 12, 20, 32, 50))


def draw(rng: np.random.Generator, rows: int, d: int) -> FloatArray:
    """Draw q and k (2, rows, d): one size for the whole row, a sign for each component."""
    size = 2.0 * (rng.random((rows, 1)) < 0.25)
    return size * rng.choice([-1, 1], (2, rows, d))


def _shared(key: Callable[..., FloatArray], signs: bool = False) -> Callable[..., Any]:
    """Return a draw whose k is made of q."""
    return lambda rng, rows, d: (
        q := rng.choice([-1, 1], (rows, d)) if signs else rng.standard_normal((rows, d)),
        key(rng, q),
    )


def _right_angles(rng: np.random.Generator, rows: int, d: int) -> FloatArray:
    q = rng.choice([-1, 1], (rows, d // 2, 2))
    k = rng.choice([-1, 1], (rows, 1, 1)) * q[:, :, ::-1] * [-1, 1]
    return np.array([q, k]).reshape(2, rows, d)


PARTS: dict[str, Callable[..., FloatArray]] = {
    "": lambda x: x,
    "in every second row ": lambda x: x[::2],
    "in every third row ": lambda x: x[::3],
    "in the first half of the rows ": lambda x: x[: len(x) // 2],
}


def _worst(values: FloatArray, stated: int) -> tuple[int, float, str] | None:
    """Return the column of `values` (rows, m) whose mean is the furthest from `stated`.

    In standard errors, with that mean and of which rows; None if all are within five.
    """
    for of, rows in PARTS.items():
        part = rows(values)
        mean = part.mean(axis=0)
        variance = np.einsum("ij,ij->j", part, part) / len(part) - mean**2  # faster than std
        allowed = 5 * np.sqrt(np.maximum(variance, 0) / len(part)) + 1e-9
        worst = int(np.argmax(np.abs(mean - stated) / allowed))
        if abs(mean[worst] - stated) > allowed[worst]:
            return worst, float(mean[worst]), of
    return None


def _broken(pair: FloatArray, rng: object, rows: int, d: int) -> str | None:
    """Say which rule q and k (2, rows, d) break: rows drawn anew, means, variances, pairs, score."""
    if pair.shape != (2, rows, d):
        return QUESTIONS.say("2.5", "columns", wanted=(2, rows, d), got=pair.shape)
    x = np.asfortranarray(np.concatenate(list(pair), axis=1).astype(float))  # quick by columns
    names = [f"{vector}[:, {i}]" for vector in "qk" for i in range(d)]
    if not np.all(np.isfinite(x)):
        return QUESTIONS.say("2.5", "infinite")
    mixed = x @ np.arange(1, 1 + 2 * d)  # alike where a row comes again, however far away
    again = np.fft.irfft(np.abs(np.fft.rfft(mixed - mixed.mean())) ** 2, rows)
    if again[1:].max() > 0.3 * again[0] or not np.ptp(x, axis=0).all():
        return QUESTIONS.say("2.5", "again")
    for power, rule in ((1, "mean"), (2, "variance")):
        if found := _worst(x**power, power - 1):
            at, got, part = found
            return QUESTIONS.say("2.5", rule, where=names[at], got=four(got), rows=part)
    if (widest := x.var(axis=0)).max() > 2:  # tails so heavy that a standard error says nothing
        where, most = names[int(widest.argmax())], four(widest.max())
        return QUESTIONS.say("2.5", "variance", where=where, got=most, rows="")
    some = np.linspace(0, 2 * d - 1, min(2 * d, 16)).astype(int)
    first, second = some[np.array(np.triu_indices(len(some), k=1))]
    if found := _worst((x.T[first] * x.T[second]).T, 0):
        i, j = first[found[0]], second[found[0]]
        r = four(float(np.corrcoef(*PARTS[found[2]](x[:, [i, j]]).T)[0, 1].round(3)))
        return QUESTIONS.say("2.5", "pair", one=names[i], other=names[j], got=r, rows=found[2])
    scores = (pair[0] * pair[1]).sum(axis=1, keepdims=True)
    if _worst(scores, 0):
        return QUESTIONS.say("2.5", "sum", got=four(scores.mean()))
    both = np.concatenate([scores, scores**2], axis=1)
    both = both - both.mean(axis=0)
    even = (abs(x.mean(axis=0)) < 1e-9).mean() > 0.4  # which makes each row tell of all the others
    if even or any(_worst(both[lag:] * both[:-lag], 0) for lag in range(1, 5)):
        return QUESTIONS.say("2.5", "rows")
    near = 1 / 1.5 <= scores.var() / d <= 1.5
    return QUESTIONS.say("2.5", "near", got=four(scores.var()), d=d) if near else None


QUESTIONS.function(
    "2.5",
    draw,
    mechanisms={
        "shape": call(Seed(3), 5, 4, check=shape_only((2, 5, 4))),
        "rules": call(Seed(25), 60_000, 8, check=_broken),
    },
    inputs=lambda rng: (
        case(f"d = {d}", Seed(d), rows, d, check=_broken)
        for d, rows in ((2, 20_000), (16, 20_000), (100, 5_000))
    ),
    wrong={
        "scores only": lambda rng, rows, d: np.prod(draw(rng, rows, d), axis=0).sum(axis=1),
        "zero to one": lambda rng, rows, d: rng.random((2, rows, d)),
        "narrow": lambda rng, rows, d: rng.uniform(-1, 1, (2, rows, d)),
        "larger": lambda rng, rows, d: 2 * rng.standard_normal((2, rows, d)),
        "same": _shared(lambda rng, q: q),
        "same signs": _shared(lambda rng, q: q, signs=True),
        "another order": _shared(lambda rng, q: q[:, ::-1]),
        "one toss": _shared(lambda rng, q: q * rng.choice([-1, 1]), signs=True),
        "one number": lambda rng, rows, d: np.repeat(rng.standard_normal((2, rows, 1)), d, 2),
        "independent": lambda rng, rows, d: rng.standard_normal((2, rows, d)),
        "fair signs": lambda rng, rows, d: rng.choice([-1, 1], (2, rows, d)),
    },
    also=[
        _shared(lambda rng, q: q * rng.choice([-1, 1], q.shape)),
        _shared(lambda rng, q: q * rng.choice([-1, 1], (len(q), 1)), signs=True),
        _right_angles,
    ],
)


def score_variance(
    query_mean: FloatArray, query_cov: FloatArray, key_mean: FloatArray, key_cov: FloatArray
) -> float:
    """Return Var(q·k) for independent q and k, the theorem's equation."""
    means = query_mean @ key_cov @ query_mean + key_mean @ query_cov @ key_mean
    return float(np.trace(query_cov @ key_cov) + means)


def _variance_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw means and covariances in several dimensions."""

    def moments(d: int, size: float) -> tuple[FloatArray, FloatArray]:
        root = rng.standard_normal((d, d)).round(2)
        return (size * rng.standard_normal(d)).round(3), np.asarray(root @ root.T)

    for about, d, size in (
        ("negative means and fractions", 2, 1.0),
        ("one dimension", 1, 1.0),
        ("three dimensions", 3, 2.0),
        ("five dimensions and small means", 5, 0.1),
        ("large means", 4, 1e3),
    ):
        yield case(about, *moments(d, size), *moments(d, size))
    whole = np.array([[2, 1, 0], [1, 3, -1], [0, -1, 4]])
    turned = whole[::-1, ::-1]
    yield case("whole numbers", [1, -2, 3], whole, [0, 4, -1], turned)
    large = 3e4 * np.array([[2.0, 1.0], [1.0, 3.0]]) + 0.1
    yield case("large covariances", [0.7, -0.1], large, [0.3, 0.9], large / 7)
    for numbers in 10 ** rng.uniform(-2, 2, (3, 4)):
        mean_q, cov_q, mean_k, cov_k = numbers[:, None]
        yield case("numbers of many digits", mean_q, cov_q[:, None], mean_k, cov_k[:, None])
    many = int(rng.integers(65, 80))
    yield case("many dimensions", *moments(many, 1.0), *moments(many, 1.0))


_ZERO, _ONE, _ONE_TWO = np.zeros(2), np.eye(2), np.array([1.0, 2.0])
_TILTED, _WIDE = np.array([[1.0, 0.5], [0.5, 1.0]]), np.diag([2.0, 3.0])
_HALF, _AGAINST = np.array([-0.5, 0.0]), np.array([[1.0, -0.5], [-0.5, 1.0]])

QUESTIONS.function(
    "2.6",
    score_variance,
    mechanisms={
        "textbook": call(_ZERO, _ONE, _ZERO, _ONE),
        "size": call(_ZERO, _WIDE, _ZERO, _ONE),
        "correlation": call(_ZERO, _TILTED, _ZERO, _TILTED),
        "means": call(_ONE_TWO, _ONE, _ZERO, _ONE),
        "crossing": call([1.0, 0.0], _ONE, [0.0, 2.0], _WIDE),
        "tilted means": call(_ONE_TWO, _ONE, _ZERO, _TILTED),
        "both means": call(_ONE_TWO, _ONE, -_HALF, _ONE),
        "signs": call([1.0, -2.0], _TILTED, _HALF, _AGAINST),
    },
    inputs=_variance_inputs,
    wrong={
        "traces": lambda mq, cq, mk, ck: np.trace(cq) * np.trace(ck),
        "dimension": lambda mq, cq, mk, ck: len(mq),
        "diagonals": lambda mq, cq, mk, ck: (
            np.diag(cq) @ np.diag(ck) + mq @ ck @ mq + mk @ cq @ mk
        ),
        "root": lambda mq, cq, mk, ck: np.sqrt(score_variance(mq, cq, mk, ck)),
        "no means": lambda mq, cq, mk, ck: np.trace(cq @ ck),
        "query mean only": lambda mq, cq, mk, ck: np.trace(cq @ ck) + mq @ ck @ mq,
        "diagonal means": lambda mq, cq, mk, ck: (
            np.trace(cq @ ck) + mq**2 @ np.diag(ck) + mk**2 @ np.diag(cq)
        ),
        "mean square": lambda mq, cq, mk, ck: score_variance(mq, cq, mk, ck) + (mq @ mk) ** 2,
        "own covariance": lambda mq, cq, mk, ck: np.trace(cq @ ck) + mq @ cq @ mq + mk @ ck @ mk,
    },
    also=[lambda mq, cq, mk, ck: (cq * ck).sum() + mq @ (ck @ mq) + mk @ (cq @ mk)],
)
