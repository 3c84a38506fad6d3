"""Figures of chapter 3 that move: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.chapter3_phases import draw_phases
from attn_helpers.figures.parts import ranked_weights, typical_row
from attn_helpers.figures.style import COLORS, new_figure, picture, thousands

Array = NDArray[np.float64]


@picture
def place_on_the_map(
    maps: tuple[Array, Array, Array], place: tuple[int, int], weights: Array
) -> tuple[Figure, str]:
    """Draw a place on the map of the largest weight over d and n, and a typical row there.

    Parameters
    ----------
    maps : (array (m,), array (k,), array (k, m))
        Head dimensions, numbers of keys, and the median largest weight of unscaled rows.
    place : pair of int
        d and n.
    weights : array (rows, n)
        Weights of rows drawn there; the one whose largest weight is the median is shown.
    """
    d, n = place
    row = typical_row(weights)
    figure, (upper, lower) = new_figure(2, 1, height=5.6, height_ratios=(3, 2))
    _map(upper, *maps)
    upper.plot(np.log2(d), np.log2(n), "o", ms=13, mfc="white", mec="black", mew=2.5)
    frozen = d > 2 * np.log(n)
    side = "frozen side" if frozen else "shared side"
    upper.set_title(f"d = {d}, n = {thousands(n)}: {side}")
    effective = 1 / np.sum(row**2)
    ranked_weights(lower, row)
    lower.set_title(f"Largest weight {row[0]:.2g}; {_count(effective)} effective keys")
    return figure, (
        f"Map of the median largest weight over d and n with the line √d = √(2 ln n), and a mark "
        f"at d = {d}, n = {n}, on the {side}. Below, a typical row there: the largest of its {n} "
        f"weights is {row[0]:.2g}, the five largest together have {row[:5].sum():.2g}, and the "
        f"effective number of keys is {_count(effective)}."
    )


def _map(axis: Axes, d: Array, n: Array, largest: Array) -> None:
    draw_phases(axis, d, n, largest)
    axis.text(9.5, 2.1, "frozen", ha="center")
    axis.text(0.6, 12.6, "shared", ha="center", color="white")
    axis.set_yticks(range(2, 15, 4), [thousands(2**power) for power in range(2, 15, 4)])
    axis.set_ylabel("keys n")


def _count(value: float) -> str:
    return thousands(value) if value >= 9.95 else f"{value:.1f}"


@picture
def margins_and_sizes(few: Array, crowd: int, shift: float, weights: Array) -> tuple[Figure, str]:
    """Draw the logits of a few keys and a crowd on a line, and below it their weights.

    Parameters
    ----------
    few : array (m,)
        Logits without the shift, from the largest to zero.
    crowd : int
        How many further keys have the logit zero, without the shift.
    shift : float
        Added to every logit.
    weights : array (m + 1,)
        Weights of the few, and what the crowd has together.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.6, height_ratios=(2, 3))
    colors = [COLORS["red"]] + [COLORS["blue"]] * (few.size - 1)
    upper.scatter(few, np.zeros(few.size), s=110, c=colors, zorder=3, clip_on=False)
    for key, logit in enumerate(few, start=1):
        upper.annotate(
            str(key), (logit, 0), (0, 10), textcoords="offset points", ha="center", color="black"
        )
    if crowd:
        upper.annotate(
            f"{crowd} more here", (0, 0), (0, -20), textcoords="offset points", ha="left"
        )
    upper.set_xlim(-0.6, 12.6)
    upper.set_ylim(-1, 1)
    upper.set_yticks([])
    upper.spines["left"].set_visible(False)
    ticks = range(0, 13, 2)
    upper.set_xticks(ticks, [_whole(tick + shift) for tick in ticks])
    upper.set_xlabel("logit")
    margin = few[0] - few[1]
    upper.set_title(f"Largest logit {_whole(few[0] + shift)}, margin {margin:g}")
    lower.bar(range(few.size), weights[:-1], 0.7, color=colors)
    lower.bar(few.size, weights[-1], 0.7, color="#B0B0B0", ec="black", hatch="//")
    names = [f"key {key}" for key in range(1, few.size + 1)]
    lower.set_xticks(range(few.size + 1), [*names, f"{crowd} more" if crowd else ""])
    lower.set_ylim(0, 1.05)
    lower.set_yticks([0, 0.5, 1])
    lower.grid(axis="x", visible=False)
    lower.set_ylabel("weight")
    lower.set_title(f"Largest weight {weights[0]:.3g}")
    said = ", ".join(_whole(logit + shift) for logit in few)
    return figure, (
        f"Above, the logits {said} on a line"
        + (f" and {crowd} more keys with {_whole(shift)}" if crowd else "")
        + f"; the margin is {margin:g}. Below, the weights: "
        + ", ".join(f"{weight:.3f}" for weight in weights[:-1])
        + (f", and the {crowd} more together {weights[-1]:.3f}." if crowd else ".")
    )


def _whole(value: float) -> str:
    return f"{value:g}".replace("-", "−")
