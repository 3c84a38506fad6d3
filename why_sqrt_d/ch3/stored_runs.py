"""Chapter 3's stored rows: which there are, and their means over the seeds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.rows import Row, select

KEYS = [2**power for power in range(1, 15)]  # 2 … 16384
DIMENSIONS = [2**power for power in range(13)]  # 1 … 4096
#: Standard deviations of a row's logits over the critical one.
RATIOS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75]
RATIOS += [2.0, 2.5, 3.0, 4.0, 5.0]


def pooled(rows: Sequence[Row], result: str, **settings: Any) -> FloatArray:
    """Return one stored result, averaged over the seeds of one setting, a list entry by entry."""
    return np.mean([row[result] for row in select(rows, **settings)], axis=0)


def pooled_error(rows: Sequence[Row], result: str, **settings: Any) -> FloatArray:
    """Return the standard error of what `pooled` returns, from the seeds' own ``<result>_se``."""
    errors = [row[f"{result}_se"] for row in select(rows, **settings)]
    return np.sqrt(np.sum(np.square(errors), axis=0)) / len(errors)
