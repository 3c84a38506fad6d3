"""One matching key among n others: how much weight it keeps, simulated and in closed form.

Scores are measured in the standard deviation of an unrelated key's score and the scale in units
of 1/sqrt(d): with queries and keys of unit mean square, β = b/sqrt(d) and the logit is b·z with
z = q·k/sqrt(d). Given the query, z is exactly N(0, 1) for keys with i.i.d. normal components; for
keys normalised to unit mean square it is sqrt(d)·cos of the angle to the query.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_helpers.checks import (
    BLOCK,
    FloatArray,
    finite,
    generator,
    positive,
    positive_int,
    several_keys,
)
from attn_helpers.saturation import query_lengths


def needle_weight(n: int, margin: float, scale: float = 1.0) -> float:
    """Return the weight of one key with a score `margin` above `n` others, which are N(0, 1).

    1/(1 + n exp(β²/2 - βD)) with β = `scale` >= 0: the n terms replaced by their mean, E exp(βz)
    = exp(β²/2), which is good while β is well below sqrt(2 ln n).

    >>> round(needle_weight(n=1000, margin=8.0, scale=1.0), 3)
    0.644
    """
    beta = finite(scale, "scale", low=0)
    exponent = math.log(several_keys(n)) + beta**2 / 2 - beta * finite(margin, "margin")
    return math.exp(-np.logaddexp(0, exponent))  # 1/(1 + e^x) without overflow on either side


def simulate_needle(
    scales: Sequence[float],
    margin: float,
    n: int,
    rows: int,
    rng: np.random.Generator,
    d: int | None = None,
) -> FloatArray:
    """Return the weight of one needle among random keys.

    1/(1 + exp(log Σ exp(b z_j) - b D)); memory does not grow with `n`, as keys come in blocks.

    Parameters
    ----------
    scales : sequence of float
        b >= 0, each in units of 1/sqrt(d); all see the same keys.
    margin : float
        D, the needle's score; the others' scores have mean 0 and variance 1.
    n, rows : int
        Other keys, and repetitions.
    rng : numpy.random.Generator
    d : int, optional
        With it, keys of that dimension are drawn, normalised to unit mean square, and multiplied
        with a query; without it the scores are drawn from N(0, 1) directly.

    Returns
    -------
    ndarray
        Shape ``(rows, len(scales))``, float64.

    Examples
    --------
    >>> simulate_needle([0.0, 50.0], 9.0, n=3, rows=1, rng=np.random.default_rng(0))
    array([[0.25, 1.  ]])
    """
    n, rows = positive_int(n, "n"), positive_int(rows, "rows")
    b = np.array([finite(scale, "scale", low=0) for scale in scales])
    finite(margin, "margin")
    generator(rng)
    width = 1 if d is None else positive_int(d, "d")
    sums = np.full((rows, b.size), -np.inf)
    row_step = max(1, BLOCK // (n * width))
    for start in range(0, rows, row_step):
        part = sums[start : start + row_step]
        for scores in _score_blocks(n, len(part), rng, d):
            top = scores.max(axis=-1)
            below = scores - top[:, None]
            for i, scale in enumerate(b):
                terms = scale * below
                total = np.exp(terms, out=terms).sum(axis=-1)
                part[:, i] = np.logaddexp(part[:, i], np.log(total) + scale * top)
    return np.exp(-np.logaddexp(0, sums - b * margin))


def _score_blocks(
    n: int, rows: int, rng: np.random.Generator, d: int | None
) -> Iterator[FloatArray]:
    """Yield the scores of `n` keys for each of `rows` queries, ``(rows, some keys)`` at a time."""
    width = 1 if d is None else d
    step = max(1, BLOCK // (rows * width))
    query = None if d is None else _directions(rng, (rows, d))
    for first in range(0, n, step):
        count = min(step, n - first)
        if query is None:
            yield rng.standard_normal((rows, count))
        else:
            keys = _directions(rng, (rows, count, width))
            yield np.matmul(keys, query[:, :, None])[:, :, 0] * math.sqrt(width)


def _directions(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Return vectors of length one in random directions, along the last axis."""
    vectors = rng.standard_normal(shape)
    vectors /= np.sqrt(np.einsum("...d,...d->...", vectors, vectors))[..., None]
    return vectors


def draw_needle_rows(
    strength: float, d: int, n: int, rows: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return rows of unscaled scores with a noisy needle at a random place in each.

    The needle is a·q plus N(0, I), every other key is N(0, I), and q is N(0, I). Given q a score
    is exactly N(0, ‖q‖²), so only ‖q‖ is drawn, not the vectors.

    Parameters
    ----------
    strength : float
        a, how much of the query is in the needle.
    d, n, rows : int
        Head dimension, keys in a row, and rows.
    rng : numpy.random.Generator

    Returns
    -------
    scores : ndarray
        Shape ``(rows, n)``, float64.
    targets : ndarray of int
        Shape ``(rows,)``: where the needle is.

    Examples
    --------
    >>> scores, targets = draw_needle_rows(1.0, 64, 5, 2, np.random.default_rng(0))
    >>> bool((scores.argmax(axis=-1) == targets).all())
    True
    """
    lengths = query_lengths(d, rows, rng)
    scores = rng.standard_normal((rows, positive_int(n, "n"))) * lengths[:, None]
    targets = rng.integers(n, size=rows)
    scores[np.arange(rows), targets] += finite(strength, "strength") * lengths**2
    return scores, targets


def sufficient_scale(n: int, margin: float) -> float:
    """Return the smallest scale at which a needle is predicted half the weight.

    b = D - sqrt(D² - 2 ln n), about ln(n)/D when that is small: the smaller root of ln n + b²/2 -
    b D = 0, which is `needle_weight` set to 1/2.

    Parameters
    ----------
    n : int
        Other keys.
    margin : float
        D > 0, the needle's score in standard deviations of the others.

    Returns
    -------
    float
        b, in units of 1/sqrt(d). NaN when n exceeds exp(D²/2): then no scale is predicted to do
        it.

    Examples
    --------
    >>> round(sufficient_scale(1024, margin=6.0), 3)
    1.295
    """
    square = positive(margin, "margin") ** 2 - 2 * math.log(positive_int(n, "n"))
    return margin - math.sqrt(square) if square >= 0 else math.nan


def match_capacity(d: int, gain: float = 1.0) -> float:
    """Return how many keys of random directions leave an exact match half of the weight.

    exp(g sqrt(d)) / E[exp(g sqrt(d) cos)], about exp(sqrt(d) - 1/2) for g = 1: queries and keys
    have unit mean square, so the logits are g·q·k/sqrt(d) = g·sqrt(d)·cos. For the cosine with a
    random direction E[exp(x cos)] = 0F1(; d/2; x²/4), by integrating the series of exp term by
    term (DLMF 10.25.2 and 10.32.2 in other words).

    Parameters
    ----------
    d : int
        Head dimension.
    gain : float
        g > 0.

    Returns
    -------
    float
        A number of keys; OverflowError if it exceeds the largest float.

    Examples
    --------
    >>> round(match_capacity(64))
    1815
    """
    x = positive(gain, "gain") * math.sqrt(positive_int(d, "d"))
    term, total, k = 1.0, 1.0, 0
    log_scale = 0.0
    while term > 1e-17 * total:
        k += 1
        term *= (x / 2) ** 2 / (k * (d / 2 + k - 1))
        total += term
        if total > 1e200:
            term, total, log_scale = term * 1e-200, total * 1e-200, log_scale + math.log(1e200)
    return math.exp(x - log_scale - math.log(total))
