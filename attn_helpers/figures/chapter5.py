"""Figures of chapter 5, "Temperature": a lost needle, hot to cold, a learned scale."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.style import COLORS, MARKERS, new_figure, picture, thousands

Array = NDArray[np.float64]
_DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1)))


@picture
def lost_needle(n: Sequence[int], weights: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw the weight of one key against the number of others, for several scales.

    Parameters
    ----------
    n : sequence of int
        Numbers of other keys.
    weights : mapping from label to array (len(n), rows)
        The needle's weight in every row; medians and the middle 80 % are drawn.
    """
    figure, axis = new_figure(height=3.9)
    for (label, rows), color, marker, dash in zip(
        weights.items(), ("red", "blue"), MARKERS, ("-", "--"), strict=False
    ):
        middle = np.median(rows, axis=-1)
        low, high = np.quantile(rows, [0.1, 0.9], axis=-1)
        axis.fill_between(n, low, high, color=COLORS[color], alpha=0.2, lw=0)
        axis.plot(n, middle, color=COLORS[color], marker=marker, ls=dash)
        place = len(n) // 2 + 1
        axis.annotate(
            label,
            (n[place], middle[place]),
            xytext=(0, -20 if middle[place] > 0.5 else 12),
            textcoords="offset points",
            color=COLORS[color],
            ha="center" if middle[place] > 0.5 else "left",
        )
    axis.set_xscale("log", base=2)
    axis.set_xticks(n[::4], [thousands(value) for value in n[::4]])
    axis.set_ylim(0, 1.05)
    axis.set_xlabel("number of other keys")
    axis.set_ylabel("weight of the needle")
    return figure, (
        f"Median weight of one unchanged key among {n[0]} to {n[-1]} random keys. "
        + " ".join(
            f"{label}: {np.median(rows[0]):.2f} among {n[0]}, {np.median(rows[-1]):.2g} among "
            f"{n[-1]}."
            for label, rows in weights.items()
        )
    )


@picture
def hot_to_cold(
    scales: Array, scores: Array, weights: Array, first_order: Array, entropies: Array
) -> tuple[Figure, str]:
    """Draw the weights of a row and their entropy against the scale.

    Parameters
    ----------
    scales : array (m,)
        β, increasing.
    scores : array (n,)
        The row, which names the lines.
    weights, first_order : array (m, n)
        Exact weights, and those to first order in β.
    entropies : array (m,)
        Entropy of the exact weights, in nats.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.0, sharex=True, height_ratios=(3, 2))
    n = weights.shape[1]
    small = scales < 0.5
    for key, (color, dash) in enumerate(zip(COLORS.values(), _DASHES, strict=False)):
        if key >= n:
            break
        name = f"{scores[key]:g}".replace("-", "−")
        upper.plot(scales, weights[:, key], color=color, ls=dash, label=name)
        upper.plot(scales[small], first_order[small, key], color="black", lw=1, ls=":")
    upper.text(scales[0], 1 / n + 0.12, f"hot: all 1/{n}", fontsize=11)
    upper.text(scales[-1], 0.85, "cold: one key", fontsize=11, ha="right")
    upper.legend(loc="upper left", title="score", handlelength=2.6, labelspacing=0.2)
    upper.set_ylim(-0.02, 1.05)
    upper.set_ylabel("weights")
    lower.plot(scales, entropies, color="black")
    lower.axhline(np.log(n), color="grey", lw=1, ls=":")
    lower.set_ylim(0, np.log(n) * 1.15)
    lower.set_ylabel("entropy")
    lower.set_xscale("log")
    lower.minorticks_off()
    lower.set_xlabel("scale β")
    return figure, (
        f"Weights of {n} keys against the scale on a logarithmic axis. At β = {scales[0]:.2g} the "
        f"largest is {weights[0].max():.2f}, at β = {scales[-1]:.2g} it is "
        f"{weights[-1].max():.3f}. Dotted lines: the first order in β. Below, the entropy falls "
        f"all the way, from {entropies[0]:.2f} to {entropies[-1]:.2g}."
    )


@picture
def attention_maps(
    words: Sequence[str], maps: Mapping[str, Array], entropies: Mapping[str, float]
) -> tuple[Figure, str]:
    """Draw attention maps of one phrase at several temperatures side by side.

    Parameters
    ----------
    words : sequence of str
        The tokens; queries downwards, keys to the right in the same order.
    maps : mapping from label to array (n, n)
        Weights, every row sums to one.
    entropies : mapping from label to float
        Mean entropy of the rows.
    """
    figure, axes = new_figure(1, len(maps), height=2.5, sharey=True)
    top = max(weights.max() for weights in maps.values())
    for axis, (label, weights) in zip(axes, maps.items(), strict=True):
        axis.imshow(weights, cmap="Greys", vmin=0, vmax=top)
        axis.set_title(label, loc="center")
        axis.set_xticks([])
        axis.set_yticks(range(len(words)), words, fontsize=13)
        axis.set_xlabel(f"entropy {entropies[label]:.2f}")
        axis.grid(visible=False)
    return figure, (
        f"Attention maps of the words {' '.join(words)}, one square a weight; the largest "
        f"is {top:.2f}. "
        + " ".join(
            f"At {label} a word gives itself and its copies {_own(words, weights):.2f} of its "
            f"weight on average, and the mean entropy is {entropies[label]:.2f}."
            for label, weights in maps.items()
        )
    )


def _own(words: Sequence[str], weights: Array) -> float:
    same = np.array([[a == b for b in words] for a in words])
    return float((weights * same).sum(axis=-1).mean())


@picture
def learned_scale(paths: Array, best: float, scales: Array, losses: Array) -> tuple[Figure, str]:
    """Draw how a learned scale moves to its best value, and the loss around it.

    Parameters
    ----------
    paths : array (seeds, steps + 1)
        b = β√d while it is learned.
    best : float
        What theory says b should be.
    scales, losses : array (m,)
        A sweep of b and its mean losses.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.2)
    colors = ("blue", "orange", "green", "red", "purple")
    steps = min(100, paths.shape[1] - 1)
    for path, color in zip(paths, colors, strict=False):
        upper.plot(path[: steps + 1], color=COLORS[color], lw=1.2)
    upper.axhline(best, color="black", ls="--", lw=1.6)
    upper.annotate(
        f"theory: {best:g}",
        (steps, best),
        xytext=(0, -26),
        textcoords="offset points",
        ha="right",
    )
    upper.axhline(1, color="grey", ls=":", lw=1.4)
    upper.text(steps, 1.1, "start: 1, which is 1/√d", ha="right")
    upper.set_ylim(0, 1.4 * best)
    upper.set_xlabel("step")
    upper.set_ylabel("learned b = β√d")
    lower.plot(scales, losses, color=COLORS["blue"], marker="o")
    lower.axvline(best, color="black", ls="--", lw=1.6)
    lower.axvline(1, color="grey", ls=":", lw=1.4)
    lower.set_xlabel("b = β√d, swept")
    lower.set_ylabel("mean loss")
    last = paths[:, -200:].mean(axis=1)
    return figure, (
        f"Upper panel, the first {steps} steps: the learned b = β√d of {len(paths)} runs "
        f"rises from {paths[0, 0]:.2f}; its "
        f"mean over its last 200 steps is between {last.min():.2f} and {last.max():.2f}, theory "
        f"says {best:.2f}. Lower panel: the loss swept over b, lowest at "
        f"{scales[losses.argmin()]:.2f}, {np.interp(1, scales, losses):.2f} at b = 1 against "
        f"{losses.min():.2f}."
    )
