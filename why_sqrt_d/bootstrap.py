"""How sure a few stories, or a few seeds, make us of a mean."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray


@cache
def resamples(size: int) -> FloatArray:
    """Return (size, 10 000) shares with which each bootstrap resample takes each of them."""
    rng = np.random.default_rng(0)
    return rng.multinomial(size, np.ones(size) / size, size=10_000).T / size


def interval(values: ArrayLike) -> tuple[float, float, float]:
    """Return the mean of the values, and its 95 % percentile bootstrap interval."""
    x = np.asarray(values, dtype=float)
    low, high = np.percentile(x @ resamples(x.size), [2.5, 97.5])
    return float(x.mean()), float(low), float(high)
