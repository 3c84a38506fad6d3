"""One matching key among n others: how much weight it keeps, simulated and in closed form.

Scores are measured in the standard deviation of an unrelated key's score and the scale in units
of 1/sqrt(d): with queries and keys of unit mean square, β = b/sqrt(d) and the logit is b·z with
z = q·k/sqrt(d). Given the query, z is exactly N(0, 1) for keys with i.i.d. normal components; for
keys normalised to unit mean square it is sqrt(d)·cos of the angle to the query.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_helpers._checks import finite, generator, positive, positive_int

Float64Array = NDArray[np.float64]

# Numbers in one block: 8 MB. A few such arrays live at a time, so a run stays below 64 MB.
# Changing it changes which numbers a seed gives.
BLOCK = 2**20


def simulate_needle(
    scales: Sequence[float],
    margin: float,
    n: int,
    rows: int,
    rng: np.random.Generator,
    d: int | None = None,
) -> Float64Array:
    """Return the weight of a needle among `n` random keys, for several scales at once.

    Parameters
    ----------
    scales : sequence of float
        b, the scales in units of 1/sqrt(d), each >= 0.
    margin : float
        D, the needle's score; the other keys' scores have mean 0 and variance 1.
    n, rows : int
        Number of other keys, and of independent rows.
    rng : numpy.random.Generator
        Source of randomness.
    d : int, optional
        Draw real keys of dimension `d`, normalised to unit mean square, and take their dot
        products with the query. Without it the scores are drawn from N(0, 1) directly.

    Returns
    -------
    ndarray
        1/(1 + exp(log Σ exp(b z_j) - b D)), shape ``(rows, len(scales))``, float64; all scales
        see the same keys. Memory does not grow with `n`: keys are drawn in blocks of 8 MB.

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
            top = scores.max(axis=-1, keepdims=True)
            for i, scale in enumerate(b):
                terms = np.exp(scale * (scores - top)).sum(axis=-1)
                part[:, i] = np.logaddexp(part[:, i], np.log(terms) + scale * top[:, 0])
    return np.exp(-np.logaddexp(0, sums - b * margin))


def _score_blocks(
    n: int, rows: int, rng: np.random.Generator, d: int | None
) -> Iterator[Float64Array]:
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


def _directions(rng: np.random.Generator, shape: tuple[int, ...]) -> Float64Array:
    """Return vectors of length one in random directions, along the last axis."""
    vectors = rng.standard_normal(shape)
    vectors /= np.sqrt(np.einsum("...d,...d->...", vectors, vectors))[..., None]
    return vectors


def draw_needle_rows(
    strength: float, d: int, n: int, rows: int, rng: np.random.Generator
) -> tuple[Float64Array, NDArray[np.int64]]:
    """Return rows of unscaled scores with a noisy needle at a random place in each.

    Parameters
    ----------
    strength : float
        a: the needle is a·q plus N(0, I), every other key is N(0, I), and q is N(0, I).
    d, n, rows : int
        Head dimension, number of keys (the needle among them), number of queries.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    scores : ndarray
        q·k, shape ``(rows, n)``. Given q it is exactly N(0, ‖q‖²), so only ‖q‖ is drawn.
    targets : ndarray of int64
        Where the needle is, shape ``(rows,)``.

    Examples
    --------
    >>> scores, targets = draw_needle_rows(1.0, 64, 5, 2, np.random.default_rng(0))
    >>> bool((scores.argmax(axis=-1) == targets).all())
    True
    """
    shape = positive_int(rows, "rows"), positive_int(n, "n")
    lengths = np.sqrt(rng.chisquare(positive_int(d, "d"), shape[0]))
    scores = rng.standard_normal(shape) * lengths[:, None]
    targets = rng.integers(n, size=rows)
    scores[np.arange(rows), targets] += finite(strength, "strength") * lengths**2
    return scores, targets


def sufficient_scale(n: int, margin: float) -> float:
    """Return the smallest scale at which a needle among `n` keys is predicted half the weight.

    b = D - sqrt(D² - 2 ln n), in units of 1/sqrt(d), where D = `margin` > 0 is the needle's score
    in standard deviations of the others; about ln(n)/D when that is small. NaN when n exceeds
    exp(D²/2): then no scale is predicted to do it. `needle_weight` set to 1/2 is
    ln n + b²/2 - b D = 0, and this is the smaller root.

    >>> round(sufficient_scale(1024, margin=6.0), 3)
    1.295
    """
    square = positive(margin, "margin") ** 2 - 2 * math.log(positive_int(n, "n"))
    return margin - math.sqrt(square) if square >= 0 else math.nan


def match_capacity(d: int, gain: float = 1.0) -> float:
    """Return how many keys of random directions leave an exact match half of the weight.

    exp(g sqrt(d)) / E[exp(g sqrt(d) cos)], which `qk_norm_capacity` approximates for `gain` g = 1:
    queries and keys of head dimension `d` have unit mean square, so the logits are
    g·q·k/sqrt(d) = g·sqrt(d)·cos. For the cosine with a random direction
    E[exp(x cos)] = 0F1(; d/2; x²/4), by integrating the series of exp term by term (DLMF 10.25.2
    and 10.32.2 in other words). OverflowError if the capacity exceeds the largest float.

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
