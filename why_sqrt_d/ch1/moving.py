"""Figures of chapter 1 that move: one function draws one frame, on axes that stay."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from why_sqrt_d.pictures.style import COLORS, new_figure, picture

Array = NDArray[np.float64]


@picture
def mean_and_spread(
    d: Sequence[int], mean: tuple[Array, Array], spread: tuple[Array, Array], title: str
) -> tuple[Figure, str]:
    """Draw mean and standard deviation of q·k against d, predicted lines and measured points.

    Parameters
    ----------
    d : sequence of int
        Dimensions.
    mean, spread : pair of array (len(d),)
        Predicted and measured.
    title : str
        What holds in this frame.
    """
    figure, axis = new_figure(height=3.7)
    words = []
    for (predicted, measured), color, marker, dash, name in (
        (mean, "red", "s", "--", "mean"),
        (spread, "blue", "o", "-", "spread"),
    ):
        if np.any(predicted > 0):
            axis.loglog(d, predicted, dash, color=COLORS[color], label=name)
            axis.loglog(d, measured, marker, color=COLORS[color], ms=6)
            words.append(f"The {name} goes from {predicted[0]:.4g} to {predicted[-1]:.4g}.")
        else:
            axis.plot([], [], dash, color=COLORS[color], label=f"{name}: zero")
            words.append(f"The {name} is zero at every d and not drawn.")
    axis.set_title(title)
    axis.set_xlim(d[0] * 0.8, d[-1] * 1.25)
    axis.set_ylim(0.04, 4000)
    axis.set_xticks(d, [str(value) for value in d])
    axis.minorticks_off()
    axis.set_xlabel("dimension d")
    axis.legend(loc="upper left")
    return figure, (
        f"Logarithmic axes, d from {d[0]} to {d[-1]}, measured points on predicted lines; "
        f"{title}. " + " ".join(words)
    )


@picture
def logits_and_weights(
    logits: Array, rows: Array, limits: tuple[float, float], title: str, label: str
) -> tuple[Figure, str]:
    """Draw a histogram of logits and, below it, a typical row of softmax weights.

    Parameters
    ----------
    logits : array (pairs,)
        Scores, scaled or not.
    rows : array (rows, n)
        Softmax weights of rows of such logits; the one whose largest weight is the median is
        shown.
    limits : pair of float
        Ends of the histogram's axis, the same in all frames that are to be compared.
    title, label : str
        What holds in this frame; what the histogram's axis shows.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.6, height_ratios=(3, 2))
    upper.hist(
        logits, bins=40, density=True, histtype="stepfilled", color=COLORS["blue"], alpha=0.85
    )
    upper.set_yscale("log")
    upper.set_ylim(1e-3, 30)
    upper.set_yticks([1e-2, 1, 10], ["0.01", "1", "10"])
    upper.minorticks_off()
    upper.set_xlim(*limits)
    upper.set_title(title)
    upper.set_xlabel(label)
    upper.set_ylabel("density")
    largest = rows.max(axis=-1)
    row = rows[np.argsort(largest)[len(largest) // 2]]
    colors = [COLORS["red"] if key == row.argmax() else COLORS["blue"] for key in range(row.size)]
    lower.bar(np.arange(1, row.size + 1), row, color=colors, width=0.8)
    lower.set_ylim(0, 1.05)
    lower.set_yticks([0, 0.5, 1])
    lower.set_xticks(np.arange(1, row.size + 1))
    lower.grid(axis="x", visible=False)
    lower.set_title(f"A typical row: the largest weight is {row.max():.2f}")
    lower.set_xlabel("key")
    lower.set_ylabel("weight")
    return figure, (
        f"{title}. Above, a histogram of {label} with mean {logits.mean():.2f} and standard "
        f"deviation {logits.std():.2f}, on an axis from {limits[0]:g} to {limits[1]:g}. Below, a "
        f"typical row of {row.size} softmax weights: the largest is {row.max():.2f}."
    )
