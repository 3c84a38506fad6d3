"""Scores drawn from a law of the pair, in blocks, so that memory does not grow with rows·d."""

import numpy as np

from attn_helpers._validate import generator, positive_int
from attn_helpers.score_laws import Float64Array, IndependentPairLaw, ScoreLaw

# Numbers in one block of queries or keys: 8 MB. A law holds up to five such arrays at a time, so
# a run stays below 64 MB. Changing it changes which numbers a seed gives.
BLOCK = 2**20


def simulate_scores(law: ScoreLaw, d: int, rows: int, rng: np.random.Generator) -> Float64Array:
    """Return the scores q·k of `rows` independent pairs.

    Parameters
    ----------
    law : ScoreLaw
        The law of the pair, for example ``Gaussian()``.
    d : int
        Head dimension, at least 1.
    rows : int
        Number of pairs, at least 1.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray
        Shape ``(rows,)``, float64. Besides it, memory stays below about 64 MB (plus one pair).

    Raises
    ------
    TypeError, ValueError
        If a size is not a positive integer, or `rng` not a Generator.

    Notes
    -----
    Vaswani et al. (2017), footnote 4, is the experiment with ``Gaussian()``.

    Examples
    --------
    >>> from attn_helpers import Rademacher
    >>> simulate_scores(Rademacher(), d=3, rows=4, rng=np.random.default_rng(0)).shape
    (4,)
    """
    d, rows = positive_int(d, "d"), positive_int(rows, "rows")
    generator(rng)
    scores = np.empty(rows)
    step = max(1, BLOCK // d)
    for start in range(0, rows, step):
        part = scores[start : start + step]
        query, key = law.sample(rng, part.size, d)
        np.einsum("rd,rd->r", query, key, out=part)
    return scores


def simulate_rows(
    law: IndependentPairLaw, d: int, n: int, rows: int, rng: np.random.Generator
) -> Float64Array:
    """Return rows of scores: each row one query against `n` keys of its own.

    Parameters
    ----------
    law : IndependentPairLaw
        A law whose query and key are independent, for example ``Uniform(0.0, 1.0)``.
    d : int
        Head dimension, at least 1.
    n : int
        Number of keys, at least 1.
    rows : int
        Number of queries, at least 1. Rows are independent: no key is used twice.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray
        Shape ``(rows, n)``, float64. The mean over rows of the variance along a row estimates
        ``law.row_variance(d)``. Besides it, memory stays below about 64 MB (plus one pair).

    Raises
    ------
    TypeError
        If the law draws query and key together, a size is not an integer, or `rng` not a
        Generator.
    ValueError
        If a size is not positive.

    Notes
    -----
    One row of Q Kᵀ in Vaswani et al. (2017), equation 1, before scaling.

    Examples
    --------
    >>> from attn_helpers import Gaussian
    >>> simulate_rows(Gaussian(), d=3, n=5, rows=2, rng=np.random.default_rng(0)).shape
    (2, 5)
    """
    d, n, rows = positive_int(d, "d"), positive_int(n, "n"), positive_int(rows, "rows")
    generator(rng)
    if not isinstance(law, IndependentPairLaw):
        raise TypeError(f"simulate_rows needs independent query and key, got {law!r}")
    scores = np.empty((rows, n))
    row_step, key_step = max(1, BLOCK // (n * d)), max(1, BLOCK // d)
    for start in range(0, rows, row_step):
        part = scores[start : start + row_step]
        query = law.sample_query(rng, len(part), d)
        for first in range(0, n, key_step):
            block = part[:, first : first + key_step]
            key = law.sample_key(rng, block.size, d).reshape(*block.shape, d)
            np.matmul(key, query[:, :, None], out=block[:, :, None])
    return scores
