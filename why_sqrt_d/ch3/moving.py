"""Figures of chapter 3, "Softmax saturation": the two phases of random rows."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from why_sqrt_d.pictures.rows import ranked_weights, typical_row
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, thousands

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
