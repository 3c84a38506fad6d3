"""The still pictures of chapter 5's live figures."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def needle_against_scale(
    scales: FloatArray, weights: FloatArray, n: int, margin: float
) -> tuple[Figure, str]:
    """Draw a needle's weight (rows, scales) among `n` others against the scale b = β√d.

    A line for the typical row, a band for four rows of five, and one row whose best key is just
    above the needle: its weight falls again.
    """
    low, median, high = np.quantile(weights, [0.1, 0.5, 0.9], axis=0)
    lost = weights[weights[:, -1] < 1e-3]
    row = lost[lost.max(axis=1).argmax()]
    figure, axis = new_figure(height=3.2)
    axis.fill_between(scales, low, high, color=COLORS["blue"], alpha=0.13, lw=0)
    axis.semilogx(scales, median, color=COLORS["blue"])
    axis.semilogx(scales, row, color=COLORS["red"], lw=2.6)
    axis.text(90, 0.93, "typical row", color=COLORS["blue"], ha="right", va="top")
    axis.text(
        scales[row.argmax()] * 2.2,
        row.max() * 0.9,
        "another key scores\njust above it",
        color=COLORS["red"],
        va="bottom",
    )
    axis.text(0.12, 0.06, "outvoted by the many", color=COLORS["grey"])
    axis.set(xlabel="scale b = β√d", ylabel="the needle's weight", xlim=(0.1, 100), ylim=(0, 1.02))
    axis.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axis.minorticks_off()
    one = int(np.abs(scales - 1).argmin())
    return figure, (
        f"The weight of a needle {margin:g} standard deviations above the mean of {n} others, "
        f"against the scale b from {scales[0]:g} to {scales[-1]:g}. At b = {scales[one]:.2g} a "
        f"typical row gives it {median[one]:.2f}, at the largest b {median[-1]:.2f}, and the "
        f"lowest tenth of the rows {low[-1]:.2f}. One row in which another key scores higher "
        f"gives it at most {row.max():.2f}, at b = {scales[row.argmax()]:.2g}."
    )
