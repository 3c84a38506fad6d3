"""How saturated rows of attention are: largest weight, entropy, effective keys, row by row.

Rows are simulated by their law: given its query, a row of scores with independent standard normal
keys is exactly n independent N(0, ‖q‖²) numbers, so drawing ‖q‖ and then n normal numbers is not
an approximation of drawing keys, and costs d times less. `saturation_of_products` takes the long
way, with every key drawn, to check it. Both keep a block of rows at a time and, of each row, three
numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import (
    BLOCK,
    FloatArray,
    as_real,
    first_index,
    generator,
    positive,
    positive_int,
)
from attn_helpers.laws import ScoreLaw
from attn_helpers.sampling import simulate_rows
from attn_helpers.weights import effective_keys, entropy, softmax


class Saturation(NamedTuple):
    """Three numbers a row: the largest weight, the entropy, the effective number of keys."""

    largest: FloatArray
    entropy: FloatArray
    effective: FloatArray


class RowStatistics(NamedTuple):
    """Five numbers a row: its logits' spread and the margin of the best, then `Saturation`'s."""

    spread: FloatArray
    margin: FloatArray
    largest: FloatArray
    entropy: FloatArray
    effective: FloatArray


def row_saturation(logits: ArrayLike) -> Saturation:
    """Return the `Saturation` of rows of logits ``(..., n)``, arrays ``(...)``.

    >>> row_saturation([[0.0, 0.0], [0.0, -np.inf]]).effective
    array([2., 1.])
    """
    weights = softmax(logits)
    return Saturation(weights.max(axis=-1), entropy(weights), effective_keys(weights))


def row_statistics(logits: ArrayLike) -> RowStatistics:
    """Return the `RowStatistics` of rows of logits ``(..., n)``, arrays ``(...)``.

    A key at ``-inf`` is not seen. The spread is the standard deviation of the logits of those that
    are, and the margin how far the best is above the next, infinite where there is none.

    >>> row_statistics([[1.0, 3.0, -np.inf], [2.0, 2.0, 2.0]]).spread
    array([1., 0.])
    """
    z = as_real(logits, "row_statistics: logits")
    if z.ndim < 1 or z.shape[-1] < 2:
        raise ValueError(f"row_statistics: a margin needs two keys in a row, got shape {z.shape}")
    best = np.partition(z, -2, axis=-1)[..., -2:]
    spread = z.std(axis=-1, where=z > -np.inf)
    return RowStatistics(spread, best[..., 1] - best[..., 0], *row_saturation(z))


def query_lengths(d: int, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return lengths ‖q‖ of queries with independent standard normal components.

    They are square roots of chi-squared numbers with d degrees of freedom.

    Parameters
    ----------
    d, rows : int
        Head dimension and number of queries.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray
        Shape ``(rows,)``, float64.

    Examples
    --------
    >>> lengths = query_lengths(d=64, rows=10_000, rng=np.random.default_rng(0))
    >>> round(float(np.mean(lengths**2)))
    64
    """
    d, rows = positive_int(d, "d"), positive_int(rows, "rows")
    generator(rng)
    return np.sqrt(rng.chisquare(d, rows))


def normal_rows(d: int, n: int, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return scores of queries and keys with independent standard normal components.

    Given the query q they are independent normal numbers with standard deviation ‖q‖, and so they
    are drawn.

    Parameters
    ----------
    d, n, rows : int
        Head dimension, keys in a row, and rows: each has a query and keys of its own.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray
        Shape ``(rows, n)``, float64.

    Examples
    --------
    >>> scores = normal_rows(d=64, n=10, rows=10_000, rng=np.random.default_rng(0))
    >>> round(float(scores.std()))
    8
    """
    lengths, n = query_lengths(d, rows, rng), positive_int(n, "n")
    return lengths[:, None] * rng.standard_normal((lengths.size, n))


def simulate_saturation(n: int, spreads: ArrayLike, rng: np.random.Generator) -> Saturation:
    """Return the saturation of rows of independent normal logits, a row for each spread.

    Rows of Q Kᵀ in Vaswani et al. (2017), footnote 4, given their queries. Memory stays below
    about 64 MB (or eight rows' worth), however many rows there are.

    Parameters
    ----------
    n : int
        Keys in a row.
    spreads : array_like
        Shape ``(rows,)``: the standard deviation of each row's logits, at least 0. The scale β
        times the `query_lengths`, or one number repeated.
    rng : numpy.random.Generator

    Returns
    -------
    Saturation
        Arrays of shape ``(rows,)``.

    Examples
    --------
    >>> spreads = np.full(2000, 8.0)
    >>> few, many = (
    ...     simulate_saturation(n, spreads, np.random.default_rng(0)) for n in (4, 4096)
    ... )
    >>> bool(np.median(few.largest) > np.median(many.largest))
    True
    """
    n, std = positive_int(n, "n"), as_real(spreads, "spreads").astype(np.float64)
    generator(rng)
    if std.ndim != 1 or not std.size:
        raise ValueError(f"spreads must have shape (rows,) with rows >= 1, got {std.shape}")
    if (bad := ~(np.isfinite(std) & (std >= 0))).any():
        index = first_index(bad)
        raise ValueError(f"spreads must be finite and >= 0, got {float(std[index])!r} at {index}")
    parts = []
    for start in range(0, std.size, step := max(1, BLOCK // n)):
        part = std[start : start + step, None]
        parts.append(row_saturation(part * rng.standard_normal((len(part), n))))
    return _joined(parts)


def saturation_of_products(
    law: ScoreLaw,
    d: int,
    n: int,
    rows: int,
    rng: np.random.Generator,
    scale: float = 1.0,
) -> Saturation:
    """Return the saturation of `rows` rows of `n` scores, all dot products of drawn vectors.

    Queries and keys in `d` dimensions come from the `law`; `scale` is β > 0. Memory stays below
    about 128 MB (or eight rows' worth), however large rows·n·d is.

    >>> from attn_helpers import Gaussian
    >>> rng = np.random.default_rng(0)
    >>> saturation_of_products(Gaussian(), 64, 10, 3, rng, scale=1 / 8).largest.shape
    (3,)
    """
    beta, rows, n = positive(scale, "scale"), positive_int(rows, "rows"), positive_int(n, "n")
    step = max(1, BLOCK // n)
    parts = []
    for start in range(0, rows, step):
        logits = simulate_rows(law, d, n, min(step, rows - start), rng)
        logits *= beta
        parts.append(row_saturation(logits))
    return _joined(parts)


def _joined(parts: list[Saturation]) -> Saturation:
    return Saturation(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
