"""Figures of chapter 5, "Temperature": a lost needle, hot to cold, learned and length scales."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.pictures.axes import beside, keys_axis, plain_ticks
from why_sqrt_d.pictures.style import COLORS, looks, new_figure, picture, thousands

_DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1)))


@picture
def lost_needle(n: Sequence[int], weights: Mapping[str, FloatArray]) -> tuple[Figure, str]:
    """Draw the needle's weight (len(n), rows) among n others: median and middle 80 % of rows."""
    figure, axis = new_figure(height=3.9)
    spoken = []
    for label, rows, look in looks(weights, "red blue", "- --"):
        middle = np.median(rows, axis=-1)
        low, high = np.quantile(rows, [0.1, 0.9], axis=-1)
        axis.fill_between(n, low, high, color=look.color, alpha=0.2, lw=0)
        axis.plot(n, middle, **look.both)
        place = len(n) // 2 + 1
        last = f"{middle[-1]:.2g} among {n[-1]}"
        spoken.append(f"{label}: {middle[0]:.2f} among {n[0]}, {last}.")
        by, side = ((0, -20), "center") if middle[place] > 0.5 else ((0, 12), "left")
        beside(axis, label, (n[place], middle[place]), by, color=look.color, ha=side)
    keys_axis(axis, n[::4])
    axis.set(ylim=(0, 1.05), xlabel="number of other keys", ylabel="weight of the needle")
    return figure, (
        f"Median weight of one unchanged key among {n[0]} to {n[-1]} random keys. "
        + " ".join(spoken)
    )


@picture
def hot_to_cold(
    scales: FloatArray,
    scores: FloatArray,
    weights: FloatArray,
    first_order: FloatArray,
    entropies: FloatArray,
) -> tuple[Figure, str]:
    """Draw the weights of a row of scores (n,) and their entropy against the scale (m,).

    `weights` and `first_order` (m, n) are exact and to first order in β; `entropies` (m,) in nats.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.0, sharex=True, height_ratios=(3, 2))
    n = weights.shape[1]
    small = scales < 0.5
    for key, color, dash in zip(range(n), cycle(COLORS.values()), cycle(_DASHES), strict=False):
        name = f"{scores[key]:g}".replace("-", "−")
        upper.plot(scales, weights[:, key], color=color, ls=dash, label=name)
        upper.plot(scales[small], first_order[small, key], color="black", lw=1, ls=":")
    upper.text(scales[0], 1 / n + 0.12, f"hot: all 1/{n}", fontsize=11)
    upper.text(scales[-1], 0.85, "cold: one key", fontsize=11, ha="right")
    upper.legend(loc="upper left", title="score", handlelength=2.6, labelspacing=0.2)
    upper.set(ylim=(-0.02, 1.05), ylabel="weights")
    lower.plot(scales, entropies, color="black")
    lower.axhline(np.log(n), color="grey", lw=1, ls=":")
    lower.set(ylim=(0, np.log(n) * 1.15), ylabel="entropy", xscale="log", xlabel="scale β")
    lower.minorticks_off()
    return figure, (
        f"Weights of {n} keys against the scale on a logarithmic axis. At β = {scales[0]:.2g} the "
        f"largest is {weights[0].max():.2f}, at β = {scales[-1]:.2g} it is "
        f"{weights[-1].max():.3f}. Dotted lines: the first order in β. Below, the entropy falls "
        f"all the way, from {entropies[0]:.2f} to {entropies[-1]:.2g}."
    )


@picture
def attention_maps(
    words: Sequence[str], maps: Mapping[str, FloatArray], entropies: Mapping[str, float]
) -> tuple[Figure, str]:
    """Draw maps (n, n) of one phrase's weights, queries downwards, and their mean entropies."""
    figure, axes = new_figure(1, len(maps), height=2.5, sharey=True)
    top = max(weights.max() for weights in maps.values())
    same = np.array([[a == b for b in words] for a in words])
    spoken = []
    for axis, (label, weights) in zip(axes, maps.items(), strict=True):
        axis.imshow(weights, cmap="Greys", vmin=0, vmax=top)
        axis.set_title(label, loc="center")
        axis.set_yticks(range(len(words)), words, fontsize=13)
        axis.set(xticks=[], xlabel=f"entropy {entropies[label]:.2f}")
        axis.grid(visible=False)
        spoken.append(
            f"At {label} a word gives itself and its copies "
            f"{(weights * same).sum(axis=-1).mean():.2f} of its weight on average, and the mean "
            f"entropy is {entropies[label]:.2f}."
        )
    return figure, (
        f"Attention maps of the words {' '.join(words)}, one square a weight; the largest "
        f"is {top:.2f}. " + " ".join(spoken)
    )


@picture
def learned_scale(
    paths: FloatArray, best: float, scales: FloatArray, losses: FloatArray
) -> tuple[Figure, str]:
    """Draw how b = β√d (seeds, steps + 1) is learned, and the loss (m,) swept over `scales`.

    `best` is what theory says b should be.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.2)
    steps = min(100, paths.shape[1] - 1)
    for _, path, look in looks(dict(enumerate(paths)), "blue orange green red purple"):
        upper.plot(path[: steps + 1], color=look.color, lw=1.2)
    upper.axhline(best, color="black", ls="--", lw=1.6)
    beside(upper, f"theory: {best:g}", (steps, best), (0, -26), ha="right")
    upper.axhline(1, color="grey", ls=":", lw=1.4)
    upper.text(steps, 1.1, "start: 1, which is 1/√d", ha="right")
    upper.set(ylim=(0, 1.4 * best), xlabel="step", ylabel="learned b = β√d")
    lower.plot(scales, losses, color=COLORS["blue"], marker="o")
    lower.axvline(best, color="black", ls="--", lw=1.6)
    lower.axvline(1, color="grey", ls=":", lw=1.4)
    lower.set(xlabel="b = β√d, swept", ylabel="mean loss")
    last = paths[:, -200:].mean(axis=1)
    return figure, (
        f"Upper panel, the first {steps} steps: the learned b = β√d of {len(paths)} runs "
        f"rises from {paths[0, 0]:.2f}; its "
        f"mean over its last 200 steps is between {last.min():.2f} and {last.max():.2f}, theory "
        f"says {best:.2f}. Lower panel: the loss swept over b, lowest at "
        f"{scales[losses.argmin()]:.2f}, {np.interp(1, scales, losses):.2f} at b = 1 against "
        f"{losses.min():.2f}."
    )


@picture
def weight_by_scale(
    scales: FloatArray,
    measured: Mapping[int, FloatArray],
    predict: Callable[[int, float], float],
    margin: float,
) -> tuple[Figure, str]:
    """Draw a needle's mean weight (m,) against the scale b, in units of 1/√d, for several n.

    `predict` is the closed form of n and b; `margin` is the needle's score in standard deviations.
    """
    figure, axis = new_figure(height=4.2)
    fine = np.linspace(scales[0], scales[-1], 120)
    for n, weights, look in looks(measured, "green blue red"):
        axis.plot(fine, [predict(n, b) for b in fine], color=look.color, ls="--", lw=1.4)
        axis.plot(scales, weights, **look.both, label="n = " + thousands(n))
    axis.axvline(margin, color="black", lw=1, ls=":")
    axis.text(margin + 0.15, 0.02, f"b = {margin:g}", fontsize=11)
    axis.plot([], [], color="black", ls="--", lw=1.4, label="predicted")
    axis.set(ylim=(0, 1.04), xlabel="scale b, in units of 1/√d")
    axis.set_ylabel("mean weight of the needle")
    figure.legend(loc="outside upper center", ncols=4, columnspacing=1.2, handlelength=1.6)
    return figure, (
        f"Mean weight of a needle {margin:g} standard deviations above the other keys against the "
        "scale b, measured and predicted. "
        + " ".join(
            f"Among {n} at b = {scales[i]:g}: measured {measured[n][i]:.2f}, predicted "
            f"{predict(n, scales[i]):.2f}."
            for n in measured
            for i in (int(np.argmin(np.abs(scales - margin))), -1)
        )
    )


@picture
def length_rules(
    n: Sequence[int], needed: FloatArray, rules: Mapping[str, FloatArray]
) -> tuple[Figure, str]:
    """Draw the smallest b (len(n),) that keeps a needle among n, and what several rules give."""
    figure, axis = new_figure(height=4.0)
    top = 1.15 * max(float(values.max()) for values in (needed, *rules.values()))
    axis.fill_between(n, 0, needed, color="#E4E4E4", lw=0)
    axis.plot(n, needed, color="black", lw=1.6)
    axis.text(n[-1], 0.3, "too soft: the needle is lost ", ha="right", fontsize=11)
    spoken = []
    for label, values, look in looks(rules, "red blue green", "- -- -."):
        axis.plot(n, values, **look.line, label=label)
        enough = max(np.asarray(n)[values >= needed], default=0)
        ends = f"from {values[0]:.2f} to {values[-1]:.2f}"
        spoken.append(f"{label}: {ends}, enough up to n = {enough}.")
    keys_axis(axis, n[::6])
    axis.set(ylim=(0, top), xlabel="number of other keys n", ylabel="scale b, in units of 1/√d")
    axis.legend(loc="upper left")
    return figure, (
        f"The smallest scale that keeps half of the weight on the needle rises from "
        f"{needed[0]:.2f} at n = {n[0]} to {needed[-1]:.2f} at n = {n[-1]}. " + " ".join(spoken)
    )


@picture
def capacity(
    n: Sequence[int], measured: Mapping[str, FloatArray], predicted: Mapping[str, FloatArray]
) -> tuple[Figure, str]:
    """Draw the weight of an exact match among n normalised random keys.

    `measured` holds arrays (len(n), rows), `predicted` the closed form (len(n),).
    """
    figure, axis = new_figure(height=3.8)
    spoken = []
    for label, rows, look in looks(measured, "red blue", "- --"):
        mean, closed = rows.mean(axis=-1), predicted[label]
        axis.plot(n, closed, **look.line, label=f"{label}, predicted")
        axis.plot(n, mean, **look.points, label=f"{label}, measured")
        seen = f"{mean[0]:.3f} at n = {n[0]} and {mean[-1]:.3f} at n = {n[-1]}"
        said = f"{closed[0]:.3f} and {closed[-1]:.3f}"
        spoken.append(f"{label}: measured {seen}, predicted {said}.")
    axis.axhline(0.5, color="black", lw=1, ls=":")
    keys_axis(axis, n[::4])
    axis.set(ylim=(0, 1.05), xlabel="number of other keys n", ylabel="weight of the match")
    axis.legend(loc="lower left")
    return figure, (
        "Weight of an exact match against the number of normalised random keys. "
        + " ".join(spoken)
    )


@picture
def soft_cap(
    logits: FloatArray, capped: FloatArray, slopes: FloatArray, cap: float
) -> tuple[Figure, str]:
    """Draw c·tanh(ℓ/c) against the logits ℓ (m,), and its slope."""
    figure, (left, right) = new_figure(1, 2, height=3.3)
    left.plot(logits, logits, color="grey", ls=":", lw=1.4)
    left.plot(logits, capped, color=COLORS["blue"])
    left.axhline(cap, color="black", lw=1, ls="--")
    left.text(logits[0], cap * 1.04, f"cap {cap:g}", va="bottom", fontsize=11)
    left.set(title="Logit after the cap", ylim=(0, logits[-1] * 0.75))
    right.plot(logits, slopes, color=COLORS["red"], ls="--")
    right.set(title="Its slope", ylim=(0, 1.05))
    for axis in (left, right):
        axis.set_xlabel("logit before the cap")
    at = {factor: float(np.interp(factor * cap, logits, slopes)) for factor in (1, 2)}
    return figure, (
        f"A soft cap of {cap:g}: logits from {logits[0]:g} to {logits[-1]:g} become at most "
        f"{capped.max():.1f}. The slope is {at[1]:.2f} at the cap and {at[2]:.2f} at twice "
        "the cap."
    )


@picture
def aligned_logits(
    d: Sequence[int], panels: Mapping[str, Mapping[str, FloatArray]]
) -> tuple[Figure, str]:
    """Draw root mean square logits (len(d),) of several kinds of pair, one panel a scale."""
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    spoken = []
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for label, values, look in looks(curves, "blue red", "-- -"):
            axis.loglog(d, values, **look.both, label=label)
            first, last = f"{values[0]:.2g} at d = {d[0]}", f"{values[-1]:.2g} at d = {d[-1]}"
            spoken.append(f"{title}, {label}: from {first} to {last}.")
        axis.axhline(1, color="black", lw=1, ls=":")
        plain_ticks(axis, d[::4])
        axis.set(title=title, xlabel="d")
    axes[0].set_ylabel("size of a logit")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure, "Root mean square logits against d. " + " ".join(spoken)
