"""Figures of chapter 7: growing weights, growing lengths, wrong divisors."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers import RuleStatistics
from attn_helpers.figures.style import COLORS, MARKERS, new_figure, picture

Array = NDArray[np.float64]
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
