"""What figures do to their axes: ticks that are read at once, labels at points, bands, bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS, thousands


def beside(
    axis: Axes, text: str, at: tuple[Any, Any], by: tuple[float, float], **how: Any
) -> None:
    """Write `text` at a point of the axes, moved `by` so many points to the right and up."""
    axis.annotate(text, at, xytext=by, textcoords="offset points", **how)


def bold(
    axis: Axes, text: str, at: tuple[Any, Any], by: tuple[float, float], color: str, **how: Any
) -> None:
    """Write the name of a line or a point beside it, bold and in its colour."""
    beside(axis, text, at, by, color=color, weight="bold", **how)


def no_heights(axis: Axes) -> None:
    """Leave out the vertical axis and the grid, where only shapes are compared."""
    axis.set(yticks=[])
    axis.spines["left"].set_visible(False)
    axis.grid(visible=False)


def keys_axis(axis: Axes, n: Sequence[int]) -> None:
    """Make the horizontal axis one of numbers of keys, doubling, with ticks at `n`."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(n, [thousands(value) for value in n])


def plain_ticks(axis: Axes, values: Sequence[float], texts: Sequence[str] = ()) -> None:
    """Write just these numbers, in full or as `texts`, on a logarithmic horizontal axis."""
    axis.set_xticks(values, texts or [f"{value:.0f}" for value in values])
    axis.minorticks_off()


def plain_heights(axis: Axes, values: Sequence[float]) -> None:
    """Make the vertical axis logarithmic, with just these numbers written in full."""
    axis.set_yscale("log")
    axis.set_yticks(values, [f"{v:g}" if v < 1 else thousands(v) for v in values])
    axis.minorticks_off()


def seed_range(
    axis: Axes, x: ArrayLike, seeds: FloatArray, color: str, alpha: float
) -> FloatArray:
    """Draw the range over the seeds of values (seeds, k) as a band; return their median (k,)."""
    axis.fill_between(x, seeds.min(axis=0), seeds.max(axis=0), color=color, alpha=alpha, lw=0)
    return np.median(seeds, axis=0)


def key_bars(axis: Axes, row: FloatArray) -> None:
    """Draw the weights (n,) of the keys 1 to n as bars, the heaviest red."""
    top = row.argmax()
    colors = [COLORS["red" if key == top else "blue"] for key in range(row.size)]
    axis.bar(np.arange(1, row.size + 1), row, color=colors, width=0.8)
    axis.set(ylim=(0, 1.05), yticks=[0, 0.5, 1])
    axis.grid(axis="x", visible=False)
