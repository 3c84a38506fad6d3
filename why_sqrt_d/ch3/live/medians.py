"""How many keys count in a typical row: the numbers that stand in ``keys.js``."""

from collections.abc import Sequence

import numpy as np

from attn_helpers._checks import FloatArray

SIZES = tuple(2**k for k in range(1, 15))
DIMENSIONS = (1, 4, 16, 64, 256, 1024)  # 1 stands for scores divided by √d


def effective_medians(
    rows: int, sizes: Sequence[int] = SIZES, dimensions: Sequence[int] = DIMENSIONS, seed: int = 1
) -> FloatArray:
    """Return the median effective number of keys, shape (dimensions, sizes).

    Each of the `rows` is one draw of standard normal numbers times √d, of which the first n are
    the scores of n keys.
    """
    rng = np.random.default_rng(seed)
    found = np.empty((rows, len(dimensions), len(sizes)))
    for row in found:
        score = rng.standard_normal(max(sizes))
        for i, d in enumerate(dimensions):
            for j, n in enumerate(sizes):
                power = np.exp(np.sqrt(d) * (score[:n] - score[:n].max()))
                row[i, j] = power.sum() ** 2 / np.dot(power, power)
    medians: FloatArray = np.median(found, axis=0)
    return medians
