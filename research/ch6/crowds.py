"""The weight that n random keys have together, over many rows: ``needle.js`` draws it.

``python -m research.ch6.crowds`` computes 4001 rows and writes ``lifts.json``.
"""

import json
from collections.abc import Sequence

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.ch6.live import LIFTS

SIZES = tuple(2**k for k in range(3, 15))
SCALES = tuple(2 ** (k / 2) for k in range(-7, 15))
SHARES = (0.1, 0.5, 0.9)


def crowd_lifts(
    rows: int, sizes: Sequence[int] = SIZES, scales: Sequence[float] = SCALES, seed: int = 1
) -> FloatArray:
    """Return quantiles over rows of a crowd's lift, shape (shares, sizes, scales).

    The lift of n keys with scores z at the scale β is log(mean exp(βz))/β: about β/2 for small β,
    and the largest score for large β. A needle at the score D gets 1/(1 + n exp(β(lift - D))) of
    the weight, so the quantiles of its weight follow from these. Each of the `rows` is one draw of
    standard normal numbers, of which the first n are the scores of n keys.
    """
    rng = np.random.default_rng(seed)
    lifts = np.empty((rows, len(sizes), len(scales)))
    ends = np.array(sizes)
    starts = np.concatenate([[0], ends[:-1]])
    for row in lifts:
        scores = rng.standard_normal(ends[-1])
        tops = np.maximum.reduceat(scores, starts)
        below = scores - np.repeat(tops, ends - starts)
        for j, beta in enumerate(scales):
            parts = np.log(np.add.reduceat(np.exp(beta * below), starts)) + beta * tops
            row[:, j] = (np.logaddexp.accumulate(parts) - np.log(ends)) / beta
    quantiles: FloatArray = np.quantile(lifts, SHARES, axis=0)
    return quantiles


if __name__ == "__main__":
    LIFTS.write_text(json.dumps(np.round(crowd_lifts(4001), 3).tolist()) + "\n")
