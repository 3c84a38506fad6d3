"""Figures of chapter 5, "Temperature", about what changes with the number of keys and with d."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.style import COLORS, MARKERS, new_figure, picture, thousands

Array = NDArray[np.float64]


def _sizes(values: Sequence[int]) -> list[str]:
    return [thousands(value) for value in values]


@picture
def weight_by_scale(
    scales: Array,
    measured: Mapping[int, Array],
    predict: Callable[[int, float], float],
    margin: float,
) -> tuple[Figure, str]:
    """Draw a needle's weight against the scale for several numbers of keys.

    Parameters
    ----------
    scales : array (m,)
        b, in units of 1/√d.
    measured : mapping from n to array (m,)
        Mean weights.
    predict : callable
        The closed form, called with n and b.
    margin : float
        The needle's score in standard deviations of the others.
    """
    figure, axis = new_figure(height=4.2)
    fine = np.linspace(scales[0], scales[-1], 120)
    for n, color, marker in zip(measured, ("green", "blue", "red"), MARKERS, strict=False):
        axis.plot(fine, [predict(n, b) for b in fine], color=COLORS[color], ls="--", lw=1.4)
        axis.plot(
            scales, measured[n], color=COLORS[color], marker=marker, label="n = " + _sizes([n])[0]
        )
    axis.axvline(margin, color="black", lw=1, ls=":")
    axis.text(margin + 0.15, 0.02, f"b = {margin:g}", fontsize=11)
    axis.plot([], [], color="black", ls="--", lw=1.4, label="predicted")
    axis.set_ylim(0, 1.04)
    axis.set_xlabel("scale b, in units of 1/√d")
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
    n: Sequence[int], needed: Array, rules: Mapping[str, Array]
) -> tuple[Figure, str]:
    """Draw the smallest scale that keeps a needle, with what several rules give.

    Parameters
    ----------
    n : sequence of int
        Numbers of keys.
    needed : array (len(n),)
        The smallest sufficient b.
    rules : mapping from label to array (len(n),)
        The b of each rule.
    """
    figure, axis = new_figure(height=4.0)
    top = 1.15 * max(float(values.max()) for values in (needed, *rules.values()))
    axis.fill_between(n, 0, needed, color="#E4E4E4", lw=0)
    axis.plot(n, needed, color="black", lw=1.6)
    axis.text(n[-1], 0.3, "too soft: the needle is lost ", ha="right", fontsize=11)
    for (label, values), color, dash in zip(
        rules.items(), ("red", "blue", "green"), ("-", "--", "-."), strict=False
    ):
        axis.plot(n, values, color=COLORS[color], ls=dash, label=label)
    axis.set_xscale("log", base=2)
    axis.set_xticks(n[::6], _sizes(n[::6]))
    axis.set_ylim(0, top)
    axis.set_xlabel("number of other keys n")
    axis.set_ylabel("scale b, in units of 1/√d")
    axis.legend(loc="upper left")
    return figure, (
        f"The smallest scale that keeps half of the weight on the needle rises from "
        f"{needed[0]:.2f} at n = {n[0]} to {needed[-1]:.2f} at n = {n[-1]}. "
        + " ".join(
            f"{label}: from {values[0]:.2f} to {values[-1]:.2f}, enough up to "
            f"n = {max(np.asarray(n)[values >= needed], default=0)}."
            for label, values in rules.items()
        )
    )


@picture
def capacity(
    n: Sequence[int], measured: Mapping[str, Array], predicted: Mapping[str, Array]
) -> tuple[Figure, str]:
    """Draw the weight of an exact match among normalised random keys.

    Parameters
    ----------
    n : sequence of int
        Numbers of other keys.
    measured : mapping from label to array (len(n), rows)
        Weights of the match.
    predicted : mapping from label to array (len(n),)
        The closed form.
    """
    figure, axis = new_figure(height=3.8)
    for (label, rows), color, marker, dash in zip(
        measured.items(), ("red", "blue"), MARKERS, ("-", "--"), strict=False
    ):
        axis.plot(n, predicted[label], color=COLORS[color], ls=dash, label=f"{label}, predicted")
        axis.plot(n, rows.mean(axis=-1), marker, color=COLORS[color], label=f"{label}, measured")
    axis.axhline(0.5, color="black", lw=1, ls=":")
    axis.set_xscale("log", base=2)
    axis.set_xticks(n[::4], _sizes(n[::4]))
    axis.set_ylim(0, 1.05)
    axis.set_xlabel("number of other keys n")
    axis.set_ylabel("weight of the match")
    axis.legend(loc="lower left")
    return figure, "Weight of an exact match against the number of normalised random keys. " + (
        " ".join(
            f"{label}: measured {rows[0].mean():.3f} at n = {n[0]} and {rows[-1].mean():.3f} at "
            f"n = {n[-1]}, predicted {predicted[label][0]:.3f} and {predicted[label][-1]:.3f}."
            for label, rows in measured.items()
        )
    )


@picture
def soft_cap(logits: Array, capped: Array, slopes: Array, cap: float) -> tuple[Figure, str]:
    """Draw capped logits against logits, and the slope.

    Parameters
    ----------
    logits, capped, slopes : array (m,)
        ℓ, c·tanh(ℓ/c), and its derivative.
    cap : float
        c.
    """
    figure, (left, right) = new_figure(1, 2, height=3.3)
    left.plot(logits, logits, color="grey", ls=":", lw=1.4)
    left.plot(logits, capped, color=COLORS["blue"])
    left.axhline(cap, color="black", lw=1, ls="--")
    left.text(logits[0], cap * 1.04, f"cap {cap:g}", va="bottom", fontsize=11)
    left.set_title("Logit after the cap")
    left.set_ylim(0, logits[-1] * 0.75)
    right.plot(logits, slopes, color=COLORS["red"], ls="--")
    right.set_title("Its slope")
    right.set_ylim(0, 1.05)
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
    d: Sequence[int], panels: Mapping[str, Mapping[str, Array]]
) -> tuple[Figure, str]:
    """Draw root mean square logits against d under two scales, one panel a scale.

    Parameters
    ----------
    d : sequence of int
        Head dimensions.
    panels : mapping from scale to mapping from label to array (len(d),)
        Root mean square logits of each kind of pair.
    """
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for (label, values), color, marker, dash in zip(
            curves.items(), ("blue", "red"), MARKERS, ("--", "-"), strict=False
        ):
            axis.loglog(d, values, color=COLORS[color], marker=marker, ls=dash, label=label)
        axis.axhline(1, color="black", lw=1, ls=":")
        axis.set_title(title)
        axis.set_xticks(d[::4], [str(value) for value in d[::4]])
        axis.minorticks_off()
        axis.set_xlabel("d")
    axes[0].set_ylabel("size of a logit")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure, "Root mean square logits against d. " + " ".join(
        f"{title}, {label}: from {values[0]:.2g} at d = {d[0]} to {values[-1]:.2g} at d = {d[-1]}."
        for title, curves in panels.items()
        for label, values in curves.items()
    )
