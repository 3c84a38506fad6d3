"""The learning curves of stored rows."""

import numpy as np


def losses(rows: list[dict]) -> np.ndarray:
    """Return the curves of rows: (seeds, windows of twenty steps)."""
    return np.array([row["losses"] for row in rows])
