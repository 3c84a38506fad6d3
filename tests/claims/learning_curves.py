"""What the learning curves of stored rows end at, and the word for what is found."""

import numpy as np
from numpy.typing import ArrayLike


def way(new: ArrayLike, old: ArrayLike, words: str = "larger smaller") -> str:
    """Return the first of two words if all that is new exceeds all that is old, else the other."""
    return words.split()[0 if np.min(new) > np.max(old) else 1]


def as_power(ratio: float, of: float, name: str) -> str:
    r"""Return how a number grew by `ratio` while another grew `of` times: $d^2$, $\sqrt d$.

    The power is rounded to a half.
    """
    power = round(2 * float(np.log(ratio) / np.log(of))) / 2
    root = rf"\sqrt {name}" if len(name) == 1 else rf"\sqrt{{{name}}}"
    known = {0.5: root, 1: name}.get(power, f"{name}^{power:g}")
    return f"${known}$"


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
