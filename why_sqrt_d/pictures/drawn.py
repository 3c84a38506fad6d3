"""Attention as a drawing: arrows, and weights that share one bar."""

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


def bare(axis: Axes) -> None:
    """Leave out all sides and the grid, where nothing is measured."""
    axis.spines[:].set_visible(False)
    axis.grid(visible=False)
