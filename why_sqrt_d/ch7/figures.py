"""Figures of chapter 7, "What real models do": rules, what training adds, growth, divisors."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from attn_helpers.models import RuleStatistics
from why_sqrt_d.pictures.axes import beside, plain_ticks
from why_sqrt_d.pictures.style import COLORS, looks, new_figure, picture


@picture
def largest_weights(found: Mapping[str, RuleStatistics], keys: int) -> tuple[Figure, str]:
    """Draw a bar a model, from top to bottom: the largest of the typical row's `keys` weights."""
    figure, axis = new_figure(height=4.3)
    places = np.arange(len(found))[::-1]
    spoken = []
    for place, (name, one) in zip(places, found.items(), strict=True):
        spoken.append(f"{name}: {one.top_weight:.3f}.")
        color, hatch = ("red", "//") if one.top_weight > 0.5 else ("blue", None)
        axis.barh(place, one.top_weight, color=COLORS[color], hatch=hatch, height=0.7)
        beside(axis, f"{one.top_weight:.3f}", (one.top_weight, place), (6, 0), va="center")
    axis.axvline(1 / keys, color="black", lw=1.2, ls=":")
    axis.set_yticks(places, list(found))
    axis.set(xlim=(0, 1.15), xticks=[0, 0.5, 1], xlabel=f"largest of {keys} weights (median row)")
    axis.grid(axis="y", visible=False)
    return figure, (
        f"Bars of the largest of {keys} weights in the median row, the same queries and keys "
        "under the formula of each model. " + " ".join(spoken)
    )


@picture
def landscape(
    multiples: FloatArray,
    entropy_share: FloatArray,
    gradient: FloatArray,
    models: Mapping[str, float],
) -> tuple[Figure, str]:
    """Draw entropy and gradient (m,) against β in units of 1/√d, and where models stand.

    `entropy_share` is the mean entropy over ln n, `gradient` the root mean square to the queries.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.2, sharex=True)
    upper.semilogx(multiples, entropy_share, color=COLORS["blue"])
    lower.loglog(multiples, gradient, color=COLORS["red"], ls="--")
    how = {"ha": "center", "va": "bottom", "fontsize": 11, "annotation_clip": False}
    spoken = []
    for label, multiple in models.items():
        upper.annotate(label, (multiple, 1.06), **how)
        at = int(np.argmin(np.abs(np.log(multiples / multiple))))
        measured = f"entropy {entropy_share[at]:.2f} of its largest value, gradient"
        spoken.append(f"{label.replace(chr(10), ' ')}: {measured} {gradient[at]:.2g}.")
        for axis in (upper, lower):
            axis.axvline(multiple, color="black", lw=1.2, ls=":")
    upper.set(ylim=(0, 1.05), ylabel="entropy / ln n")
    lower.set(ylabel="gradient to q", xlabel="β in units of 1/√d")
    lower.set_xticks([0.1, 1, 10], ["1/10", "1", "10"])
    return figure, (
        "Entropy of the weights, and the gradient to the queries, against the scale in units of "
        "one over the root of d. " + " ".join(spoken)
    )


@picture
def width_transfer(
    d: Sequence[int], panels: Mapping[str, Mapping[str, tuple[FloatArray, FloatArray]]]
) -> tuple[Figure, str]:
    """Draw, a panel a rule, how parts of a logit, measured and predicted (len(d),), go with d."""
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    spoken = []
    for axis, (rule, curves) in zip(axes, panels.items(), strict=True):
        for label, (measured, predicted), look in looks(curves, "blue red", "- --"):
            axis.loglog(d, predicted, **look.line)
            axis.loglog(d, measured, **look.points, label=label)
            spoken.append(f"{rule}, {label}: from {measured[0]:.2f} to {measured[-1]:.2f}.")
        plain_ticks(axis, [d[0], d[len(d) // 2], d[-1]])
        axis.set(title=rule, xlabel="head dimension d")
    axes[0].set_ylabel("part of the logit")
    axes[0].legend(loc="upper left", handlelength=1)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low, high * 4)
    return figure, (
        f"Two parts of a logit against the head dimension from {d[0]} to {d[-1]}, points measured "
        "on predicted lines. " + " ".join(spoken)
    )


@picture
def growing_weights(
    growth: Sequence[float], found: Mapping[str, Sequence[RuleStatistics]]
) -> tuple[Figure, str]:
    """Draw the largest logit and the entropy of each rule while the scores grow."""
    figure, (upper, lower) = new_figure(2, 1, height=5.4, sharex=True)
    spoken = []
    for label, series, look in looks(found, "red green blue grey", "- -- -. :"):
        logits, entropies = zip(
            *((one.logit_max, one.entropy_share) for one in series), strict=True
        )
        upper.loglog(growth, logits, **look.both, ms=5, label=label)
        lower.semilogx(growth, entropies, **look.both, ms=5)
        spoken.append(
            f"{label}: largest logit from {logits[0]:.1f} to {logits[-1]:.1f}, entropy from "
            f"{entropies[0]:.2f} through its least value {min(entropies):.2f} to "
            f"{entropies[-1]:.2f}."
        )
    upper.set_ylabel("largest |logit|")
    lower.set(ylabel="entropy / ln n", ylim=(0, 1.05), xlabel="the scores are multiplied by")
    plain_ticks(lower, [1, 16, 256])
    upper.minorticks_off()
    upper.legend(loc="upper left")
    return figure, (
        f"The largest logit of a row, and the entropy, while the scores grow {growth[0]:.0f} to "
        f"{growth[-1]:.0f} times. " + " ".join(spoken)
    )


@picture
def length_factors(n: Sequence[int], curves: Mapping[str, FloatArray]) -> tuple[Figure, str]:
    """Draw β√d (len(n),) of several rules as the number n of keys grows."""
    figure, axis = new_figure(height=3.8)
    spoken = []
    for label, values, look in looks(curves, "grey blue green red", ": -. -- -"):
        axis.semilogx(n, values, **look.line, label=label)
        spoken.append(f"{label}: from {values[0]:.2f} to {values[-1]:.2f}.")
    plain_ticks(axis, [2**10, 2**15, 2**20], ["1 k", "32 k", "1 M"])
    axis.set(ylim=(0.8, max(values.max() for values in curves.values()) * 1.25))
    axis.set(xlabel="number of keys n", ylabel="β √d")
    axis.legend(loc="upper left", handlelength=2.6)
    return figure, (
        f"The scale in units of one over the root of d, from {n[0]} to {n[-1]} keys. "
        + " ".join(spoken)
    )


@picture
def wrong_divisors(found: Mapping[str, RuleStatistics], right: str) -> tuple[Figure, str]:
    """Draw a row a divisor: the logits' spread from that of the `right` one, and the entropy."""
    figure, axis = new_figure(height=3.9)
    places = np.arange(len(found))[::-1]
    middle = found[right].logit_std
    spoken = []
    for place, (name, one) in zip(places, found.items(), strict=True):
        color, marker = ("blue", "o") if name == right else ("red", "D")
        axis.plot([middle, one.logit_std], [place, place], color=COLORS[color], lw=2)
        axis.plot(one.logit_std, place, marker, color=COLORS[color], ms=8)
        entropy = f"{one.entropy_share:.2f}"
        axis.annotate(entropy, (1.02, place), xycoords=("axes fraction", "data"), va="center")
        spoken.append(f"{name}: spread {one.logit_std:.2f}, entropy {entropy}.")
    axis.annotate("entropy", (1.02, len(found) - 0.35), xycoords=("axes fraction", "data"))
    axis.set_xscale("log")
    axis.set_yticks(places, list(found))
    axis.set_ylim(-0.6, len(found) - 0.4)
    plain_ticks(axis, [0.125, 1, 8], ["1/8", "1", "8"])
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the logits in a row")
    return figure, (
        "The spread of a row's logits for several divisors, and the entropy of the weights as a "
        "share of ln n. " + " ".join(spoken)
    )
