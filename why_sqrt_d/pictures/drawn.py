"""Attention as a drawing: weights that share one bar, and the output between the values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS

KEYS = ("red", "blue", "green")  # of three keys that are told apart
ARROW: Any = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}  # a vector, from point to point


def shared_bar(axis: Axes, weights: FloatArray, height: float = 0.0) -> None:
    """Draw weights (n,) as parts of one bar of length one; from the fourth on they are grey."""
    colors = [COLORS[KEYS[i]] if i < len(KEYS) else COLORS["grey"] for i in range(weights.size)]
    left = np.cumsum(weights) - weights
    axis.barh(height, weights, 0.6, left, color=colors, ec="white", lw=0.8)
    axis.set(xlim=(0, 1), xticks=[], yticks=[])
    bare(axis)


def between(axis: Axes, values: FloatArray, weights: FloatArray, colors: Sequence[str]) -> None:
    """Draw values (n, 2) as discs as large as their weights (n,), and their mean as a cross."""
    x, y = values.T
    axis.scatter(x, y, s=14, color=colors, lw=0)
    axis.scatter(x, y, s=600 * weights, color=colors, alpha=0.45, lw=0)
    axis.plot(*(weights @ values), "X", color="black", mec="white", ms=10)
    axis.margins(0.2)
    axis.set(xticks=[], yticks=[])
    bare(axis)


def bare(axis: Axes) -> None:
    """Leave out all sides and the grid, where nothing is measured."""
    axis.spines[:].set_visible(False)
    axis.grid(visible=False)
