"""Chapter 4's stored rows: gradients without the scale over those with it."""

from collections.abc import Sequence

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.rows import Row, select

Rows = Sequence[Row]

POWERS = (0.5, 0.0, 1.0)  # the rules β = d^-power, in the order of a row's lists
SIZES = (4, 16, 64, 256, 1024, 4096)  # of d and of n


def ratios(rows: Rows, name: str, d: int, n: int) -> Float64Array:
    """Return a gradient at β = 1 over that at 1/√d, for every seed of (d, n)."""
    return np.array([row[name][1] / row[name][0] for row in select(rows, d=d, n=n)])


def ratio_table(rows: Rows, name: str) -> Float64Array:
    """Return the geometric means of these ratios over `SIZES` of d and of n: (6, 6)."""
    logs = [[np.log(ratios(rows, name, d, n)).mean() for n in SIZES] for d in SIZES]
    return np.asarray(np.exp(logs))
