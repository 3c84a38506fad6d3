"""What the learning curves of stored rows end at."""

import numpy as np


def losses(rows: list[dict]) -> np.ndarray:
    """Return the curves of rows: (seeds, windows of twenty steps)."""
    return np.array([row["losses"] for row in rows])


def ends(rows: list[dict]) -> np.ndarray:
    """Return the mean errors of the last hundred steps: (seeds,)."""
    return losses(rows)[:, -5:].mean(axis=1)


def least_loss(rows: list[dict], arm: str) -> float:
    """Return the language model's mean validation loss at the arm's best rate."""
    found: dict[float, list[float]] = {}
    for row in rows:
        if row["arm"] == arm:
            found.setdefault(row["rate"], []).append(row.get("validation", np.inf))
    return min(float(np.mean(losses)) for losses in found.values())
