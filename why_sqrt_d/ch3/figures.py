"""Figures of chapter 3, "Softmax saturation": margins, numbers of keys, the phase transition."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attn_helpers import softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.pictures.axes import beside, keys_axis
from why_sqrt_d.pictures.style import COLORS, EDGED, looks, new_figure, picture, thousands


@picture
def which_is_saturated(rows: Mapping[str, FloatArray]) -> tuple[Figure, str]:
    """Draw, for each row of logits (n,), how its largest weight and all the others share a bar."""
    figure, axis = new_figure(height=3.3)
    largest = {label: float(softmax(logits).max()) for label, logits in rows.items()}
    for place, (label, share) in enumerate(largest.items()):
        axis.barh(place, share, color=COLORS["red"], height=0.42)
        axis.barh(place, 1 - share, left=share, color=COLORS["blue"], alpha=0.45, height=0.42)
        axis.annotate(label, (0, place - 0.3), va="bottom", fontsize=12)
        by, side, color = ((-6, 0), "right", "white") if share > 0.3 else ((6, 0), "left", "black")
        how = {"ha": side, "va": "center", "fontweight": "bold", "color": color}
        beside(axis, f"{share:.2f}", (share, place), by, **how)
    axis.set(xlim=(0, 1), ylim=(len(rows) - 0.6, -0.75), yticks=[], xlabel="softmax weight")
    axis.spines["left"].set_visible(False)
    axis.grid(axis="y", visible=False)
    first = next(iter(largest.values()))
    axis.annotate("largest logit", (0.02, 0), va="center", color="white")
    axis.annotate("all others", (first + 0.02, 0), va="center")
    return figure, "Bars that show the largest softmax weight of a row of logits. " + " ".join(
        f"Logits {label}: {share:.3f}." for label, share in largest.items()
    )


@picture
def margin_bounds(
    margin: FloatArray,
    lower: Mapping[int, FloatArray],
    upper: FloatArray,
    rows: Mapping[int, tuple[FloatArray, FloatArray]],
) -> tuple[Figure, str]:
    """Draw the largest weight against the margin (m,): two bounds, random rows between them.

    `lower` maps n to the smallest possible largest weight (m,), `upper` (m,) is the largest for
    every n; `rows` maps n to margins and largest weights of random rows.
    """
    figure, axis = new_figure(height=4.4)
    axis.plot(margin, upper, color="black", lw=1.6)
    arrow = {"arrowstyle": "-", "color": "black", "lw": 0.8}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    how = {"arrowprops": arrow, "bbox": box, "fontsize": 11, "zorder": 5}
    at = len(margin) // 8
    beside(axis, "upper bound", (margin[at], upper[at]), (14, -40), **how)
    for n, bound, look in looks(lower, "orange blue", "-- -."):
        axis.plot(*rows[n], **look.points, **EDGED, ms=4.5)
        axis.plot(margin, bound, **look.line)
        axis.plot([], [], **look.both, **EDGED, label=f"n = {n}: rows, lower bound")
    axis.set(xlim=(0, margin[-1]), ylim=(0, 1.03))
    axis.set(xlabel="margin: largest logit minus the second", ylabel="largest weight")
    figure.legend(loc="outside upper left", handlelength=2.6)
    spoken = []
    for n, (gaps, weights) in rows.items():
        least, most = 1 / (1 + (n - 1) * np.exp(-gaps)), 1 / (1 + np.exp(-gaps))
        inside = np.mean((weights <= most + 1e-12) & (weights >= least - 1e-12))
        spoken.append(
            f"With {n} keys the lower bound at margin {margin[-1]:.0f} is {lower[n][-1]:.3f}, and "
            f"{100 * inside:.0f} % of the random rows lie between the bounds."
        )
    return figure, (
        "Largest weight against the margin between the two largest logits. " + " ".join(spoken)
    )


@picture
def how_large(
    x: FloatArray, curves: Mapping[int, FloatArray], levels: Sequence[float]
) -> tuple[Figure, str]:
    """Draw the first weight (m,) of softmax([x, 0, …, 0]) for each n, on an axis linear in it.

    The axis is marked at `levels`, and so are the lines.
    """
    figure, axis = new_figure(height=4.0)
    spoken: list[str] = []
    for n, weights, look in looks(curves, "grey red green blue", "- -- -. :"):
        axis.plot(x, weights, **look.line, lw=2.4)
        crossing = np.array([np.log((n - 1) * p / (1 - p)) for p in levels])
        shown = crossing <= x[-1]
        axis.plot(crossing[shown], np.array(levels)[shown], "o", color=look.color)
        # labels stand on alternating sides of the lines
        by, side = ((9, -12), "left") if len(spoken) % 2 else ((-9, 5), "right")
        where = (crossing[-2], levels[-2])
        passes = (f"{p:g} at {value:.2f}" for p, value in zip(levels, crossing, strict=True))
        spoken.append(f"With {n} keys it passes {', '.join(passes)}.")
        beside(axis, f"n = {thousands(n)}", where, by, ha=side, color=look.color, fontsize=12)
    axis.set_yscale("logit")
    axis.set_yticks(levels, [f"{p:g}" for p in levels])
    axis.minorticks_off()
    axis.set(ylim=(0.3, 0.9996), xlim=(0, x[-1]))
    axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set_xlabel("x in softmax([x, 0, …, 0])")
    axis.set_ylabel("first weight\n(axis linear in ln p/(1−p))")
    return figure, (
        "First weight of softmax([x, 0, …, 0]) against x, parallel lines on an axis linear in "
        "ln p/(1−p). " + " ".join(spoken)
    )


@picture
def more_keys(n: Sequence[int], curves: Mapping[str, FloatArray]) -> tuple[Figure, str]:
    """Draw the 10 %, 50 % and 90 % quantiles (3, len(n)) of the largest weight against n."""
    figure, axis = new_figure(height=4.2)
    spoken = []
    for label, (low, middle, high), look in looks(curves, "red orange blue", "- -- -."):
        first, last = f"{middle[0]:.2f} with {n[0]} keys", f"{middle[-1]:.3g} with {n[-1]}"
        spoken.append(f"{label}: {first}, {last}.")
        axis.fill_between(n, low, high, color=look.color, alpha=0.16, lw=0)
        axis.plot(n, middle, **look.both, ms=5, label=label)
    keys_axis(axis, [value for value in (2, 16, 128, 1024, 16384) if n[0] <= value <= n[-1]])
    axis.minorticks_off()
    axis.set(ylim=(0, 1.28), yticks=[0, 0.25, 0.5, 0.75, 1])
    axis.set(xlabel="number of keys n", ylabel="largest weight of a row")
    axis.legend(loc="upper right", ncols=2, handlelength=2.6, columnspacing=1.2)
    return figure, (
        f"Median largest weight of random rows against the number of keys, {n[0]} to {n[-1]}, "
        "with the middle eighty per cent of the rows shaded. " + " ".join(spoken)
    )


def draw_phases(
    axis: Axes, d: FloatArray, n: FloatArray, largest: FloatArray, every: int
) -> QuadMesh:
    """Draw the map (len(n), len(d)) of the largest weight and its border, √d = √(2 ln n).

    `d` and `n` are powers of two; every so many of n's are written at the axis.
    """
    mesh = axis.pcolormesh(
        np.log2(d), np.log2(n), largest, cmap="cividis", vmin=0, vmax=1, shading="nearest"
    )
    keys = np.linspace(np.log2(n[0]) - 0.5, np.log2(n[-1]) + 0.5, 200)
    line = np.log2(2 * keys * np.log(2))
    axis.plot(line, keys, color="black", lw=4.5)
    axis.plot(line, keys, color="white", lw=2, ls="--")
    axis.set_xlim(np.log2(d[0]) - 0.5, np.log2(d[-1]) + 0.5)
    axis.set_ylim(np.log2(n[0]) - 0.5, np.log2(n[-1]) + 0.5)
    axis.set_xticks(range(0, 13, 2), [str(2**power) for power in range(0, 13, 2)])
    axis.set_yticks(range(2, 15, every), [thousands(2**power) for power in range(2, 15, every)])
    axis.grid(visible=False)
    axis.set_xlabel("dimension d, no scale")
    return mesh


@picture
def phase_map(d: FloatArray, n: FloatArray, largest: FloatArray) -> tuple[Figure, str]:
    """Draw the median largest weight (len(n), len(d)) of unscaled rows over d and n."""
    figure, axis = new_figure(height=4.4)
    mesh = draw_phases(axis, d, n, largest, every=2)
    axis.annotate("frozen:\na few keys take all", (7.6, 6.2), ha="center", fontsize=12)
    axis.annotate("shared", (1.2, 10.6), ha="center", fontsize=12, color="white")
    axis.set_ylabel("number of keys n")
    bar = figure.colorbar(mesh, ax=axis, location="top", aspect=40, shrink=0.9)
    bar.set_label("median largest weight (dashed: √d = √(2 ln n))")
    beyond = d[None, :] > 2 * np.log(n)[:, None]
    return figure, (
        f"Map of the median largest weight of unscaled rows, d from {d[0]:.0f} to {d[-1]:.0f}, n "
        f"from {n[0]:.0f} to {n[-1]:.0f}. To the right of the line √d = √(2 ln n) it lies between "
        f"{largest[beyond].min():.2f} and {largest[beyond].max():.2f}, to the left between "
        f"{largest[~beyond].min():.4f} and {largest[~beyond].max():.2f}."
    )


@picture
def predictions(
    ratio: FloatArray,
    entropy: Mapping[int, tuple[FloatArray, FloatArray]],
    participation: Mapping[int, tuple[FloatArray, FloatArray]],
    curves: Mapping[int, tuple[FloatArray, FloatArray, FloatArray]],
) -> tuple[Figure, str]:
    """Draw entropy and Σp² against σ/σ_c: points measured at `ratio` (m,), lines predicted.

    `entropy`, as a share of ln n, and `participation` map n to means (m,) and their standard
    errors; `curves` to ratios, entropy and Σp² (k,), NaN where nothing is predicted.
    """
    figure, axes = new_figure(2, 1, height=5.6, sharex=True)
    for axis, measured, place in zip(axes, (entropy, participation), (1, 2), strict=True):
        for n, (mean, error), look in looks(measured, "orange blue", "-- -", "s o"):
            axis.plot(curves[n][0], curves[n][place], **look.line, lw=1.8)
            label = f"n = {thousands(n)}"
            axis.errorbar(ratio, mean, yerr=2 * error, **look.points, ms=5, label=label)
        axis.axvline(1, color="black", lw=1, ls=":")
        axis.set_ylim(0, 1.04)
    axes[0].set_title("Entropy, as a share of ln n")
    axes[1].set_title("Σp², one over the effective keys")
    axes[0].legend(loc="upper right", title="points measured,\nlines predicted")
    axes[1].set_xlabel(r"spread of the logits, $\sigma/\sigma_c$")
    axes[1].set_xlim(0, ratio[-1] + 0.1)
    return figure, "Entropy and Σp² against σ/σ_c, measured and predicted. " + " ".join(
        f"With {n} keys at σ/σ_c = {ratio[-1]:g}: entropy {entropy[n][0][-1]:.2f} of ln n against "
        f"{np.interp(ratio[-1], curves[n][0], curves[n][1]):.2f}, Σp² "
        f"{participation[n][0][-1]:.2f} against "
        f"{np.interp(ratio[-1], curves[n][0], curves[n][2]):.2f}."
        for n in entropy
    )


@picture
def largest_histograms(
    shares: Mapping[float, FloatArray], means: Mapping[float, float], n: int
) -> tuple[Figure, str]:
    """Draw, at each σ/σ_c, the share of rows in equal bins (bins,) of the largest of n weights."""
    figure, axes = new_figure(len(shares), 1, height=1.5 * len(shares) + 0.6, sharex=True)
    styled = looks(shares, "green blue orange red")
    spoken = []
    for axis, (ratio, share, look) in zip(np.atleast_1d(axes), styled, strict=True):
        edges = np.linspace(0, 1, share.size + 1)
        widths, how = np.diff(edges), {"align": "edge", "color": look.color, "ec": "white"}
        axis.bar(edges[:-1], 100 * share, widths, **how)
        mean, top = means[ratio], f"{100 * share[-1]:.0f} % of the rows"
        axis.axvline(mean, color="black", ls="--", lw=1.6)
        axis.set(title=rf"$\sigma$ = {ratio:g} $\sigma_c$: mean {mean:.2f}", xlim=(0, 1))
        axis.grid(axis="x", visible=False)
        bins = f"in the last of {share.size} bins"
        spoken.append(f"At {ratio:g} σ_c the mean is {mean:.2f}; {top} are {bins}.")
    axes[-1].set_xlabel("largest weight of a row")
    figure.supylabel("per cent of the rows", fontsize=12)
    return figure, f"Histograms of the largest weight over rows of {n} keys. " + " ".join(spoken)
