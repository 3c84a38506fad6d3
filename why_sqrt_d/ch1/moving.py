"""Figures of chapter 1 that move: one function draws one frame, on axes that stay."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.rows import key_bars, typical_row
from why_sqrt_d.pictures.style import COLORS, looks, new_figure, picture


@picture
def mean_and_spread(
    d: Sequence[int],
    mean: tuple[FloatArray, FloatArray],
    spread: tuple[FloatArray, FloatArray],
    title: str,
) -> tuple[Figure, str]:
    """Draw mean and standard deviation of q·k against d; each is (predicted, measured)."""
    figure, axis = new_figure(height=3.7)
    words = []
    pairs = {"mean": mean, "spread": spread}
    for name, (predicted, measured), look in looks(pairs, "red blue", "-- -", "s o"):
        if np.any(predicted > 0):
            axis.loglog(d, predicted, **look.line, label=name)
            axis.loglog(d, measured, **look.points, ms=6)
            words.append(f"The {name} goes from {predicted[0]:.4g} to {predicted[-1]:.4g}.")
        else:
            axis.plot([], [], **look.line, label=f"{name}: zero")
            words.append(f"The {name} is zero at every d and not drawn.")
    axis.set(title=title, xlim=(d[0] * 0.8, d[-1] * 1.25), ylim=(0.04, 4000))
    plain_ticks(axis, d)
    axis.set_xlabel("dimension d")
    axis.legend(loc="upper left")
    return figure, (
        f"Logarithmic axes, d from {d[0]} to {d[-1]}, measured points on predicted lines; "
        f"{title}. " + " ".join(words)
    )


@picture
def logits_and_weights(
    logits: FloatArray, rows: FloatArray, limits: tuple[float, float], title: str, label: str
) -> tuple[Figure, str]:
    """Draw a histogram of logits (pairs,) and, below it, a typical row of weights (rows, n).

    `limits` are the ends of the histogram's axis, the same in all frames that are to be
    compared; `label` says what it shows.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.6, height_ratios=(3, 2))
    upper.hist(logits, 40, density=True, histtype="stepfilled", color=COLORS["blue"], alpha=0.85)
    upper.set(yscale="log", ylim=(1e-3, 30))
    upper.set_yticks([1e-2, 1, 10], ["0.01", "1", "10"])
    upper.minorticks_off()
    upper.set(xlim=limits, title=title, xlabel=label, ylabel="density")
    row = typical_row(rows)
    key_bars(lower, row)
    lower.set_title(f"A typical row: the largest weight is {row.max():.2f}")
    lower.set(xticks=np.arange(1, row.size + 1), xlabel="key", ylabel="weight")
    return figure, (
        f"{title}. Above, a histogram of {label} with mean {logits.mean():.2f} and standard "
        f"deviation {logits.std():.2f}, on an axis from {limits[0]:g} to {limits[1]:g}. Below, a "
        f"typical row of {row.size} softmax weights: the largest is {row.max():.2f}."
    )
