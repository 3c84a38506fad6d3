"""The figure of chapter 2 that moves: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.style import COLORS, new_figure, picture
from attn_helpers.scores import Moments

Array = NDArray[np.float64]


@picture
def scaled_scores(
    logits: Array, score: Moments, d: int, limits: tuple[float, float], title: str
) -> tuple[Figure, str]:
    """Draw a histogram of q·k/√d on the standard normal density that the textbook promises.

    Parameters
    ----------
    logits : array (pairs,)
        Simulated q·k/√d.
    score : Moments
        The exact moments of q·k.
    d : int
        Dimension.
    limits : pair of float
        Ends of the axis, the same in all frames.
    title : str
        What holds in this frame.
    """
    mean, variance = score.mean / np.sqrt(d), score.variance / d
    figure, axis = new_figure(height=3.6)
    edges = np.linspace(*limits, 96)
    weights = np.full(logits.size, 1 / (logits.size * (edges[1] - edges[0])))
    axis.hist(logits, edges, weights=weights, color=COLORS["blue"], label="simulated")
    x = np.linspace(*limits, 400)
    axis.plot(
        x,
        np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi),
        "--",
        color="black",
        lw=1.8,
        label="textbook: N(0, 1)",
    )
    axis.axvline(mean, color=COLORS["orange"], lw=2.5, label="exact mean")
    axis.set_xlim(*limits)
    axis.set_ylim(0, 0.5)
    axis.set_yticks([0, 0.2, 0.4])
    axis.set_title(f"{title}, d = {d}\nmean {mean:.1f}, variance {variance:.2f}")
    axis.set_xlabel("q·k / √d")
    axis.set_ylabel("density")
    axis.legend(loc="upper right")
    return figure, (
        f"Histogram of the scaled score q·k/√d beside the standard normal density; {title}, "
        f"d = {d}. Exact mean {mean:.2f} and variance {variance:.2f}; simulated mean "
        f"{logits.mean():.2f} and variance {logits.var(ddof=1):.2f}."
    )
