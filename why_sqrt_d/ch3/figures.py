"""Figures of chapter 3, "Softmax saturation": margins and numbers of keys."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from attn_helpers import softmax
from why_sqrt_d.pictures.style import COLORS, EDGED, MARKERS, new_figure, picture, thousands

Array = NDArray[np.float64]


@picture
def which_is_saturated(rows: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw, for each row of logits, how its largest weight and all the others share a bar.

    Parameters
    ----------
    rows : mapping from label to array (n,)
        Logits; the label names them.
    """
    figure, axis = new_figure(height=3.3)
    largest = {label: float(softmax(logits).max()) for label, logits in rows.items()}
    for place, (label, share) in enumerate(largest.items()):
        axis.barh(place, share, color=COLORS["red"], height=0.42)
        axis.barh(place, 1 - share, left=share, color=COLORS["blue"], alpha=0.45, height=0.42)
        axis.annotate(label, (0, place - 0.3), va="bottom", fontsize=12)
        axis.annotate(
            f"{share:.2f}",
            (share, place),
            xytext=(-6, 0) if share > 0.3 else (6, 0),
            textcoords="offset points",
            ha="right" if share > 0.3 else "left",
            va="center",
            fontweight="bold",
            color="white" if share > 0.3 else "black",
        )
    axis.set_xlim(0, 1)
    axis.set_ylim(len(rows) - 0.6, -0.75)
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("softmax weight")
    first = next(iter(largest.values()))
    axis.annotate("largest logit", (0.02, 0), va="center", color="white")
    axis.annotate("all others", (first + 0.02, 0), va="center")
    return figure, "Bars that show the largest softmax weight of a row of logits. " + " ".join(
        f"Logits {label}: {share:.3f}." for label, share in largest.items()
    )


@picture
def margin_bounds(
    margin: Array,
    lower: Mapping[int, Array],
    upper: Array,
    rows: Mapping[int, tuple[Array, Array]],
) -> tuple[Figure, str]:
    """Draw the largest weight against the margin: the two bounds, and random rows between them.

    Parameters
    ----------
    margin : array (m,)
        Distances from the largest logit to the second.
    lower : mapping from n to array (m,)
        Smallest possible largest weight at each margin, for each number of keys.
    upper : array (m,)
        Largest possible one, the same for every number of keys.
    rows : mapping from n to (array, array)
        Margins and largest weights of random rows.
    """
    figure, axis = new_figure(height=4.4)
    axis.plot(margin, upper, color="black", lw=1.6)
    axis.annotate(
        "upper bound",
        (margin[len(margin) // 8], upper[len(margin) // 8]),
        xytext=(14, -40),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": "black", "lw": 0.8},
        fontsize=11,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=5,
    )
    for (n, bound), color, marker, dash in zip(
        lower.items(), ("orange", "blue"), MARKERS, ("--", "-."), strict=False
    ):
        look = {"color": COLORS[color], **EDGED}
        axis.plot(*rows[n], marker, ms=4.5, **look)
        axis.plot(margin, bound, color=COLORS[color], ls=dash)
        axis.plot([], [], marker, ls=dash, label=f"n = {n}: rows, lower bound", **look)
    axis.set_xlim(0, margin[-1])
    axis.set_ylim(0, 1.03)
    axis.set_xlabel("margin: largest logit minus the second")
    axis.set_ylabel("largest weight")
    figure.legend(loc="outside upper left", handlelength=2.6)
    inside = {
        n: np.mean(
            (weights <= 1 / (1 + np.exp(-gaps)) + 1e-12)
            & (weights >= 1 / (1 + (n - 1) * np.exp(-gaps)) - 1e-12)
        )
        for n, (gaps, weights) in rows.items()
    }
    return figure, "Largest weight against the margin between the two largest logits. " + " ".join(
        f"With {n} keys the lower bound at margin {margin[-1]:.0f} is {lower[n][-1]:.3f}, and "
        f"{100 * share:.0f} % of the random rows lie between the bounds."
        for n, share in inside.items()
    )


@picture
def how_large(
    x: Array, curves: Mapping[int, Array], levels: Sequence[float]
) -> tuple[Figure, str]:
    """Draw the first weight of softmax([x, 0, …, 0]) on an axis on which it is a line.

    Parameters
    ----------
    x : array (m,)
        First logit.
    curves : mapping from n to array (m,)
        First weight for each number of keys.
    levels : sequence of float
        Weights that the axis marks.
    """
    figure, axis = new_figure(height=4.0)
    crossing = {}
    for (n, weights), color, dash in zip(
        curves.items(), ("grey", "red", "green", "blue"), ("-", "--", "-.", ":"), strict=False
    ):
        axis.plot(x, weights, color=COLORS[color], ls=dash, lw=2.4)
        crossing[n] = np.array([np.log((n - 1) * p / (1 - p)) for p in levels])
        shown = crossing[n] <= x[-1]
        axis.plot(crossing[n][shown], np.array(levels)[shown], "o", color=COLORS[color])
        left = len(crossing) % 2 == 1  # labels stand on alternating sides of the lines
        axis.annotate(
            f"n = {thousands(n)}",
            (crossing[n][-2], levels[-2]),
            xytext=(-9 if left else 9, 5 if left else -12),
            textcoords="offset points",
            ha="right" if left else "left",
            color=COLORS[color],
            fontsize=12,
        )
    axis.set_yscale("logit")
    axis.set_yticks(levels, [f"{p:g}" for p in levels])
    axis.minorticks_off()
    axis.set_ylim(0.3, 0.9996)
    axis.set_xlim(0, x[-1])
    axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set_xlabel("x in softmax([x, 0, …, 0])")
    axis.set_ylabel("first weight\n(axis linear in ln p/(1−p))")
    return figure, (
        "First weight of softmax([x, 0, …, 0]) against x, parallel lines on an axis linear in "
        "ln p/(1−p). "
        + " ".join(
            f"With {n} keys it passes "
            + ", ".join(
                f"{p:g} at {value:.2f}" for p, value in zip(levels, crossing[n], strict=True)
            )
            + "."
            for n in curves
        )
    )


@picture
def more_keys(n: Sequence[int], curves: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw the largest weight against the number of keys: median and the middle eight tenths.

    Parameters
    ----------
    n : sequence of int
        Numbers of keys.
    curves : mapping from label to array (3, len(n))
        The 10 %, 50 % and 90 % quantiles over rows.
    """
    figure, axis = new_figure(height=4.2)
    looks = (("red", "o", "-"), ("orange", "s", "--"), ("blue", "^", "-."))
    for (label, (low, middle, high)), (color, marker, dash) in zip(
        curves.items(), looks, strict=True
    ):
        axis.fill_between(n, low, high, color=COLORS[color], alpha=0.16, lw=0)
        axis.plot(n, middle, color=COLORS[color], marker=marker, ls=dash, ms=5, label=label)
    axis.set_xscale("log", base=2)
    ticks = [value for value in (2, 16, 128, 1024, 16384) if n[0] <= value <= n[-1]]
    axis.set_xticks(ticks, [thousands(tick) for tick in ticks])
    axis.minorticks_off()
    axis.set_ylim(0, 1.28)
    axis.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axis.set_xlabel("number of keys n")
    axis.set_ylabel("largest weight of a row")
    axis.legend(loc="upper right", ncols=2, handlelength=2.6, columnspacing=1.2)
    return figure, (
        f"Median largest weight of random rows against the number of keys, {n[0]} to {n[-1]}, "
        "with the middle eighty per cent of the rows shaded. "
        + " ".join(
            f"{label}: {values[1][0]:.2f} with {n[0]} keys, {values[1][-1]:.3g} with {n[-1]}."
            for label, values in curves.items()
        )
    )
