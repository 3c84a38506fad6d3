"""Parts that figures share: a row of weights in order, from the largest down."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from why_sqrt_d.pictures.style import COLORS

Array = NDArray[np.float64]

__all__ = ["ranked_weights", "typical_row"]


def typical_row(weights: Array) -> Array:
    """Return the row whose largest weight is the median, its weights from the largest down.

    Parameters
    ----------
    weights : array (rows, n)
        Softmax weights.
    """
    largest = weights.max(axis=-1)
    row: Array = weights[np.argsort(largest)[len(largest) // 2]]
    return np.sort(row)[::-1]


def ranked_weights(axis: Axes, row: Array, shown: int = 12) -> None:
    """Draw the largest weights of a row as bars on an axis from 0 to 1, the first one red.

    Parameters
    ----------
    axis : Axes
        Where to draw.
    row : array (n,)
        Weights from the largest down.
    shown : int
        How many bars there is room for; a shorter row leaves places empty.
    """
    bars = row[:shown]
    axis.bar(
        np.arange(1, bars.size + 1), bars, 0.8, color=[COLORS["red"]] + [COLORS["blue"]] * shown
    )
    axis.set_xlim(0.3, shown + 0.7)
    axis.set_ylim(0, 1.05)
    axis.set_yticks([0, 0.5, 1])
    axis.set_xticks([1, *range(3, shown + 1, 3)])
    axis.grid(axis="x", visible=False)
    axis.set_xlabel("keys of one row, the heaviest first")
    axis.set_ylabel("weight")
