"""Figures of chapter 3, "Softmax saturation": the two phases of random rows."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.style import COLORS, new_figure, picture, thousands

Array = NDArray[np.float64]


@picture
def phase_map(d: Array, n: Array, largest: Array) -> tuple[Figure, str]:
    """Draw the typical largest weight over d and n with the line √d = √(2 ln n).

    Parameters
    ----------
    d : array (m,)
        Head dimensions, powers of two.
    n : array (k,)
        Numbers of keys, powers of two.
    largest : array (k, m)
        Median of the largest weight of unscaled rows.
    """
    figure, axis = new_figure(height=4.4)
    mesh = draw_phases(axis, d, n, largest)
    axis.annotate("frozen:\na few keys take all", (7.6, 6.2), ha="center", fontsize=12)
    axis.annotate("shared", (1.2, 10.6), ha="center", fontsize=12, color="white")
    axis.set_yticks(range(2, 15, 2), [thousands(2**power) for power in range(2, 15, 2)])
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


def draw_phases(axis: Axes, d: Array, n: Array, largest: Array) -> QuadMesh:
    """Draw the map of the largest weight, its border and its axis of dimensions."""
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
    axis.grid(visible=False)
    axis.set_xlabel("dimension d, no scale")
    return mesh


@picture
def predictions(
    ratio: Array,
    entropy: Mapping[int, tuple[Array, Array]],
    participation: Mapping[int, tuple[Array, Array]],
    curves: Mapping[int, tuple[Array, Array, Array]],
) -> tuple[Figure, str]:
    """Draw entropy and Σp² across the transition: points measured, lines predicted.

    Parameters
    ----------
    ratio : array (m,)
        σ/σ_c of the measurements.
    entropy, participation : mapping from n to (array (m,), array (m,))
        Means over rows and their standard errors; the entropy as a share of ln n.
    curves : mapping from n to (array (k,), array (k,), array (k,))
        Ratios, and the predicted entropy and Σp² at them, NaN where nothing is predicted.
    """
    figure, axes = new_figure(2, 1, height=5.6, sharex=True)
    looks = (("orange", "s", "--"), ("blue", "o", "-"))
    for axis, measured, place in zip(axes, (entropy, participation), (1, 2), strict=True):
        for (n, (mean, error)), (color, marker, dash) in zip(measured.items(), looks, strict=True):
            axis.plot(curves[n][0], curves[n][place], color=COLORS[color], ls=dash, lw=1.8)
            axis.errorbar(
                ratio,
                mean,
                yerr=2 * error,
                fmt=marker,
                ms=5,
                color=COLORS[color],
                label=f"n = {thousands(n)}",
            )
        axis.axvline(1, color="black", lw=1, ls=":")
        axis.set_ylim(0, 1.04)
    axes[0].set_title("Entropy, as a share of ln n")
    axes[1].set_title("Σp², one over the effective keys")
    axes[0].legend(loc="upper right", title="points measured,\nlines predicted")
    axes[1].set_xlabel(r"spread of the logits, $\sigma/\sigma_c$")
    axes[1].set_xlim(0, ratio[-1] + 0.1)
    return figure, "Entropy and Σp² against σ/σ_c, measured and predicted. " + " ".join(
        f"With {n} keys at σ/σ_c = {ratio[at]:g}: entropy {entropy[n][0][at]:.2f} of ln n against "
        f"{np.interp(ratio[at], curves[n][0], curves[n][1]):.2f}, Σp² "
        f"{participation[n][0][at]:.2f} against "
        f"{np.interp(ratio[at], curves[n][0], curves[n][2]):.2f}."
        for n in entropy
        for at in (len(ratio) - 1,)
    )


@picture
def largest_histograms(
    shares: Mapping[float, Array], means: Mapping[float, float], n: int
) -> tuple[Figure, str]:
    """Draw how the largest weight is distributed over rows, below, at and above the transition.

    Parameters
    ----------
    shares : mapping from σ/σ_c to array (bins,)
        Share of the rows in equal bins from 0 to 1.
    means : mapping from σ/σ_c to float
        Mean of the largest weight.
    n : int
        Number of keys.
    """
    figure, axes = new_figure(len(shares), 1, height=1.5 * len(shares) + 0.6, sharex=True)
    for axis, (ratio, share), color in zip(
        np.atleast_1d(axes), shares.items(), ("green", "blue", "orange", "red"), strict=False
    ):
        edges = np.linspace(0, 1, share.size + 1)
        axis.bar(
            edges[:-1], 100 * share, np.diff(edges), align="edge", color=COLORS[color], ec="white"
        )
        axis.axvline(means[ratio], color="black", ls="--", lw=1.6)
        axis.set_title(rf"$\sigma$ = {ratio:g} $\sigma_c$: mean {means[ratio]:.2f}")
        axis.set_xlim(0, 1)
        axis.grid(axis="x", visible=False)
    axes[-1].set_xlabel("largest weight of a row")
    figure.supylabel("per cent of the rows", fontsize=12)
    return figure, f"Histograms of the largest weight over rows of {n} keys. " + " ".join(
        f"At {ratio:g} σ_c the mean is {means[ratio]:.2f}; {100 * share[-1]:.0f} % of the rows "
        f"are in the last of {share.size} bins."
        for ratio, share in shares.items()
    )
