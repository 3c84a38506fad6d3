"""Parts that figures share: a row of softmax weights as bars."""

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS


def typical_row(weights: FloatArray) -> FloatArray:
    """Return, of weights (rows, n), the row (n,) whose largest weight is the median."""
    largest = weights.max(axis=-1)
    row: FloatArray = weights[np.argsort(largest)[len(largest) // 2]]
    return row


def weight_axis(axis: Axes) -> None:
    """Give an axis of bars the heights from 0 to 1."""
    axis.set(ylim=(0, 1.05), yticks=[0, 0.5, 1])
    axis.grid(axis="x", visible=False)


def key_bars(axis: Axes, row: FloatArray) -> None:
    """Draw the weights (n,) of the keys 1 to n as bars, the heaviest red."""
    top = row.argmax()
    colors = [COLORS["red" if key == top else "blue"] for key in range(row.size)]
    axis.bar(np.arange(1, row.size + 1), row, color=colors, width=0.8)
    weight_axis(axis)
