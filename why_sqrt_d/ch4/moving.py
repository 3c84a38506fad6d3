"""Figures of chapter 4 that move: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.ch4.flow import spread
from why_sqrt_d.pictures.axes import seed_range
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, thousands

_EDGES = np.geomspace(1e-12, 1e4, 65)


@picture
def shared_gradient(norms: FloatArray, title: str) -> tuple[Figure, str]:
    """Draw how long the queries' gradients (queries,) are, and who holds the sum of squares."""
    found = spread(norms)
    figure, (upper, lower) = new_figure(2, 1, height=4.6, height_ratios=(4, 1))
    share = np.full(norms.size, 100 / norms.size)
    upper.hist(np.clip(norms, 1.01e-12, None), _EDGES, weights=share, color=COLORS["blue"])
    upper.axvline(max(found.median, 1e-12), color="black", ls="--", lw=1.8, label="median")
    upper.axvline(found.rms, color=COLORS["red"], lw=2.2, label="root mean square")
    upper.set(xscale="log", xlim=(_EDGES[0], _EDGES[-1]), ylim=(0, 100))
    powers = range(-12, 5, 4)
    labels = [f"$10^{{{power}}}$" for power in powers]
    upper.set_xticks([10.0**power for power in powers], ["less", *labels[1:]])
    upper.tick_params(axis="x", labelsize=15)  # exponents are small
    upper.set(xlabel="length of one query's gradient", ylabel="% of the queries")
    upper.set_title(
        f"{title}\nmedian {_short(found.median)}, root mean square {_short(found.rms)}"
    )
    upper.legend(loc="upper left")
    top = 100 * found.top_share
    lower.barh(0, top, color=COLORS["red"], hatch="//", ec="white")
    lower.barh(0, 100 - top, left=top, color=COLORS["blue"])
    lower.set(xlim=(0, 100), xticks=[0, 5, 25, 50, 75, 100], yticks=[])
    lower.grid(visible=False)
    lower.set_title(f"The top 5 % of the queries hold {top:.0f} %")
    lower.set_xlabel("% of the sum of squares")
    return figure, (
        f"{title}. Histogram of the length of each query's gradient on a logarithmic axis: median "
        f"{_short(found.median)}, mean {_short(found.mean)}, root mean square "
        f"{_short(found.rms)}. The five per cent with the longest hold {top:.0f} % of the sum of "
        "squares."
    )


def _short(value: float) -> str:
    """Write a positive number with two digits, or say that it is below the axis."""
    if value < 1e-12:
        return "below 1e-12"
    if value >= 9.95:
        return thousands(float(f"{value:.2g}"))
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.0e}".replace("e-0", "e-")


@picture
def length_by_depth(
    lengths: FloatArray, textbook: FloatArray, title: str, limits: tuple[float, float]
) -> tuple[Figure, str]:
    """Draw the length of a gradient (draws, layers + 1) on its way down a stack of layers.

    The median is a line and the range a band; `textbook` (layers + 1,) is the median at 1/√d, and
    `limits` are the ends of the vertical axis, the same in all frames.
    """
    figure, axis = new_figure(height=3.8)
    depth = np.arange(lengths.shape[1])
    middle, last = np.median(lengths, axis=0), lengths[:, -1]
    seed_range(axis, depth, lengths, COLORS["red"], alpha=0.2)
    axis.plot(depth, middle, "o-", color=COLORS["red"], ms=5, label="this scale")
    axis.plot(depth, textbook, "--", color="black", lw=1.6, label="β = 1/√d")
    axis.set(yscale="log", ylim=limits)
    axis.minorticks_off()
    axis.tick_params(axis="y", labelsize=15)
    axis.set_xticks(range(0, depth[-1] + 1, 2))
    axis.set(xlabel="layers passed, from the top", ylabel="length of the gradient")
    axis.set_title(f"{title}\nafter {depth[-1]} layers: {_short(middle[-1])}")
    axis.legend(loc="upper left")
    return figure, (
        f"{title}. Length of a gradient against the number of layers that it has passed, "
        f"{len(lengths)} draws: it starts at {middle[0]:.2g} and the median after {depth[-1]} "
        f"layers is {_short(middle[-1])}, from {_short(last.min())} to {_short(last.max())}. With "
        f"the scale 1/√d it is {_short(textbook[-1])}."
    )
