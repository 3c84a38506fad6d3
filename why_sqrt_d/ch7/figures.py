"""Figures of chapter 7, "What real models do": models, scores and weights."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.models import RuleStatistics
from why_sqrt_d.pictures.style import COLORS, MARKERS, new_figure, picture

Array = NDArray[np.float64]


@picture
def largest_weights(found: Mapping[str, RuleStatistics], keys: int) -> tuple[Figure, str]:
    """Draw a bar a model: the largest weight of the typical row.

    Parameters
    ----------
    found : mapping from model to RuleStatistics
        In the order from top to bottom.
    keys : int
        Number of keys; a row that treats all alike gives each 1/keys.
    """
    figure, axis = new_figure(height=4.3)
    places = np.arange(len(found))[::-1]
    for place, one in zip(places, found.values(), strict=True):
        extreme = one.top_weight > 0.5
        axis.barh(
            place,
            one.top_weight,
            color=COLORS["red" if extreme else "blue"],
            hatch="//" if extreme else None,
            height=0.7,
        )
        axis.annotate(
            f"{one.top_weight:.3f}",
            (one.top_weight, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
        )
    axis.axvline(1 / keys, color="black", lw=1.2, ls=":")
    axis.set_yticks(places, list(found))
    axis.set_xlim(0, 1.15)
    axis.set_xticks([0, 0.5, 1])
    axis.grid(axis="y", visible=False)
    axis.set_xlabel(f"largest of {keys} weights (median row)")
    return figure, (
        f"Bars of the largest of {keys} weights in the median row, the same queries and keys "
        "under the formula of each model. "
        + " ".join(f"{name}: {one.top_weight:.3f}." for name, one in found.items())
    )


@picture
def landscape(
    multiples: Array,
    entropy_share: Array,
    gradient: Array,
    models: Mapping[str, float],
) -> tuple[Figure, str]:
    """Draw entropy and gradient against the scale, and where groups of models stand.

    Parameters
    ----------
    multiples : array (m,)
        β in units of 1/sqrt(d).
    entropy_share, gradient : array (m,)
        Mean entropy divided by ln n; root mean square of the gradient to the queries.
    models : mapping from label to float
        A group of models and its multiple.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.2, sharex=True)
    upper.semilogx(multiples, entropy_share, color=COLORS["blue"])
    lower.loglog(multiples, gradient, color=COLORS["red"], ls="--")
    for label, multiple in models.items():
        upper.annotate(
            label,
            (multiple, 1.06),
            ha="center",
            va="bottom",
            fontsize=11,
            annotation_clip=False,
        )
        for axis in (upper, lower):
            axis.axvline(multiple, color="black", lw=1.2, ls=":")
    upper.set_ylim(0, 1.05)
    upper.set_ylabel("entropy / ln n")
    lower.set_ylabel("gradient to q")
    lower.set_xlabel("β in units of 1/√d")
    lower.set_xticks([0.1, 1, 10], ["1/10", "1", "10"])
    at = {
        label: int(np.argmin(np.abs(np.log(multiples / multiple))))
        for label, multiple in models.items()
    }
    return figure, (
        "Entropy of the weights, and the gradient to the queries, against the scale in units of "
        "one over the root of d. "
        + " ".join(
            f"{label.replace(chr(10), ' ')}: entropy {entropy_share[i]:.2f} of its largest value, "
            f"gradient {gradient[i]:.2g}."
            for label, i in at.items()
        )
    )


@picture
def width_transfer(
    d: Sequence[int], panels: Mapping[str, Mapping[str, tuple[Array, Array]]]
) -> tuple[Figure, str]:
    """Draw, for each rule, how two parts of a logit change with the width of a head.

    Parameters
    ----------
    d : sequence of int
        Head dimensions.
    panels : mapping from rule to mapping from label to (measured, predicted)
        Arrays of shape (len(d),).
    """
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    for axis, (rule, curves) in zip(axes, panels.items(), strict=True):
        for (label, (measured, predicted)), color, marker in zip(
            curves.items(), ("blue", "red"), MARKERS, strict=False
        ):
            axis.loglog(d, predicted, color=COLORS[color], ls="-" if marker == "o" else "--")
            axis.loglog(d, measured, marker, color=COLORS[color], label=label)
        axis.set_title(rule)
        axis.set_xticks([d[0], d[len(d) // 2], d[-1]])
        axis.set_xticklabels([str(d[0]), str(d[len(d) // 2]), str(d[-1])])
        axis.minorticks_off()
        axis.set_xlabel("head dimension d")
    axes[0].set_ylabel("part of the logit")
    axes[0].legend(loc="upper left", handlelength=1)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low, high * 4)
    return figure, (
        f"Two parts of a logit against the head dimension from {d[0]} to {d[-1]}, points measured "
        "on predicted lines. "
        + " ".join(
            f"{rule}, {label}: from {measured[0]:.2f} to {measured[-1]:.2f}."
            for rule, curves in panels.items()
            for label, (measured, _) in curves.items()
        )
    )


_LOOKS = (("red", "-", "o"), ("green", "--", "s"), ("blue", "-.", "^"), ("grey", ":", "D"))


@picture
def growing_weights(
    growth: Sequence[float], found: Mapping[str, Sequence[RuleStatistics]]
) -> tuple[Figure, str]:
    """Draw the largest logit and the entropy while the scores grow.

    Parameters
    ----------
    growth : sequence of float
        What the scores are multiplied by.
    found : mapping from rule to sequence of RuleStatistics
        One a growth.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.4, sharex=True)
    for (label, series), (color, dash, marker) in zip(found.items(), _LOOKS, strict=False):
        style = {"color": COLORS[color], "ls": dash, "marker": marker, "ms": 5, "label": label}
        upper.loglog(growth, [one.logit_max for one in series], **style)
        lower.semilogx(growth, [one.entropy_share for one in series], **style)
    upper.set_ylabel("largest |logit|")
    lower.set_ylabel("entropy / ln n")
    lower.set_ylim(0, 1.05)
    lower.set_xlabel("the scores are multiplied by")
    lower.set_xticks([1, 16, 256], ["1", "16", "256"])
    lower.minorticks_off()
    upper.minorticks_off()
    upper.legend(loc="upper left")
    return figure, (
        f"The largest logit of a row, and the entropy, while the scores grow {growth[0]:.0f} to "
        f"{growth[-1]:.0f} times. "
        + " ".join(
            f"{label}: largest logit from {series[0].logit_max:.1f} to "
            f"{series[-1].logit_max:.1f}, entropy from {series[0].entropy_share:.2f} through "
            "its least value "
            f"{min(one.entropy_share for one in series):.2f} to {series[-1].entropy_share:.2f}."
            for label, series in found.items()
        )
    )


@picture
def length_factors(n: Sequence[int], curves: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw by what several rules multiply 1/sqrt(d) as the context grows.

    Parameters
    ----------
    n : sequence of int
        Numbers of keys.
    curves : mapping from label to array (len(n),)
        β times sqrt(d).
    """
    figure, axis = new_figure(height=3.8)
    for (label, values), (color, dash, _) in zip(curves.items(), _LOOKS[::-1], strict=False):
        axis.semilogx(n, values, color=COLORS[color], ls=dash, label=label)
    axis.set_xticks([2**10, 2**15, 2**20], ["1 k", "32 k", "1 M"])
    axis.minorticks_off()
    axis.set_ylim(0.8, max(values.max() for values in curves.values()) * 1.25)
    axis.set_xlabel("number of keys n")
    axis.set_ylabel("β √d")
    axis.legend(loc="upper left", handlelength=2.6)
    return figure, (
        f"The scale in units of one over the root of d, from {n[0]} to {n[-1]} keys. "
        + " ".join(
            f"{label}: from {values[0]:.2f} to {values[-1]:.2f}."
            for label, values in curves.items()
        )
    )


@picture
def wrong_divisors(found: Mapping[str, RuleStatistics], right: str) -> tuple[Figure, str]:
    """Draw a row a divisor: the spread of the logits, with the entropy beside it.

    Parameters
    ----------
    found : mapping from divisor to RuleStatistics
        In the order from top to bottom.
    right : str
        The one to compare with.
    """
    figure, axis = new_figure(height=3.9)
    places = np.arange(len(found))[::-1]
    middle = found[right].logit_std
    for place, (name, one) in zip(places, found.items(), strict=True):
        color = COLORS["blue" if name == right else "red"]
        axis.plot([middle, one.logit_std], [place, place], color=color, lw=2)
        axis.plot(one.logit_std, place, MARKERS[0 if name == right else 3], color=color, ms=8)
        axis.annotate(
            f"{one.entropy_share:.2f}",
            (1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
        )
    axis.annotate("entropy", (1.02, len(found) - 0.35), xycoords=("axes fraction", "data"))
    axis.set_xscale("log")
    axis.set_yticks(places, list(found))
    axis.set_ylim(-0.6, len(found) - 0.4)
    axis.set_xticks([0.125, 1, 8], ["1/8", "1", "8"])
    axis.minorticks_off()
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the logits in a row")
    return figure, (
        "The spread of a row's logits for several divisors, and the entropy of the weights as a "
        "share of ln n. "
        + " ".join(
            f"{name}: spread {one.logit_std:.2f}, entropy {one.entropy_share:.2f}."
            for name, one in found.items()
        )
    )
