"""Figures of chapter 1, "Dot products grow"."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from why_sqrt_d.pictures.style import COLORS, MARKERS, new_figure, picture

Array = NDArray[np.float64]


@picture
def typical_weights(weights: Mapping[int, Array]) -> tuple[Figure, str]:
    """Draw, for each d, the row of weights whose largest weight is the median of its rows.

    Parameters
    ----------
    weights : mapping from d to array (rows, n)
        Softmax weights; every row sums to one.
    """
    figure, axes = new_figure(len(weights), 1, height=4.4, sharex=True, sharey=True)
    for axis, (d, rows) in zip(axes, weights.items(), strict=True):
        largest = rows.max(axis=-1)
        row = rows[np.argsort(largest)[len(largest) // 2]]
        top = row.argmax()
        colors = [COLORS["red"] if key == top else COLORS["blue"] for key in range(row.size)]
        axis.bar(np.arange(1, row.size + 1), row, color=colors, width=0.8)
        axis.set_title(f"d = {d}: the largest weight is {row[top]:.2f}")
        axis.set_ylim(0, 1.05)
        axis.set_yticks([0, 0.5, 1])
        axis.grid(axis="x", visible=False)
    axes[-1].set_xticks(np.arange(1, row.size + 1))
    axes[-1].set_xlabel("key")
    figure.supylabel("softmax weight, no scale", fontsize=12)
    return figure, (
        "Bar charts of ten softmax weights without a scale, the typical row for each d. "
        + " ".join(
            f"At d = {d} the largest weight is {np.median(rows.max(axis=-1)):.2f}."
            for d, rows in weights.items()
        )
    )


@picture
def growth(d: Sequence[int], curves: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw how several dot products grow with d, on two logarithmic axes.

    Parameters
    ----------
    d : sequence of int
        Dimensions.
    curves : mapping from label to array (len(d),)
        One growing quantity a label, written at the end of its line.
    """
    figure, axis = new_figure(height=4.0)
    for (label, values), color, marker in zip(
        curves.items(), ("red", "blue", "green"), MARKERS, strict=False
    ):
        axis.loglog(d, values, color=COLORS[color], marker=marker)
        axis.annotate(
            label,
            (d[-1], values[-1]),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=COLORS[color],
            fontsize=11,
        )
    axis.set_xlim(d[0] * 0.8, d[-1] * 14)
    ticks = [value for value in (2, 8, 32, 128, 512) if value <= d[-1]]
    axis.set_xticks(ticks, [str(tick) for tick in ticks])
    axis.minorticks_off()
    axis.set_xlabel("dimension d")
    axis.set_ylabel("product, its mean, its spread")
    upper = np.asarray(d) >= 16
    slope = {
        label: np.polyfit(np.log(np.asarray(d)[upper]), np.log(values[upper]), 1)[0]
        for label, values in curves.items()
    }
    return figure, f"Lines on logarithmic axes from d = {d[0]} to {d[-1]}. " + " ".join(
        f"{label}: slope {value:.2f} from d = 16 on." for label, value in slope.items()
    )


@picture
def histograms(scores: Mapping[int, Array]) -> tuple[Figure, str]:
    """Draw the same histograms twice: where they stand, and each around its own mean.

    Parameters
    ----------
    scores : mapping from d to array (rows,)
        Dot products.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.0)
    for (d, values), color, dash in zip(
        scores.items(), ("green", "blue", "red"), ("-", "--", ":"), strict=False
    ):
        options = {
            "bins": 60,
            "density": True,
            "histtype": "step",
            "linewidth": 2,
            "linestyle": dash,
            "color": COLORS[color],
            "label": f"d = {d}",
        }
        upper.hist(values, **options)
        lower.hist(values - values.mean(), **options)
    upper.set_title("Where they stand: the centre moves fastest")
    upper.set_xlabel("q·k")
    lower.set_title("Around their own mean: the spread grows too")
    lower.set_xlabel("q·k minus its mean")
    for axis in (upper, lower):
        axis.set_yscale("log")
        axis.set_ylim(3e-4, 3)
        axis.set_ylabel("density (log scale)")
        axis.legend(loc="upper right")
    return figure, (
        "Histograms of dot products for several d, first where they stand, then each around its "
        "own mean. "
        + " ".join(
            f"At d = {d} the mean is {values.mean():.2f} and the standard deviation "
            f"{values.std():.2f}."
            for d, values in scores.items()
        )
    )


@picture
def variance_line(
    d: Sequence[int], designs: Mapping[str, Array], slope: float, label: str
) -> tuple[Figure, str]:
    """Draw measured variances against d with the line that theory predicts.

    Parameters
    ----------
    d : sequence of int
        Dimensions.
    designs : mapping from label to array (seeds, len(d))
        Measured variances, every seed drawn.
    slope : float
        Predicted variance per dimension.
    label : str
        How the legend names the line.
    """
    figure, axis = new_figure(height=4.0)
    for (name, values), color, marker in zip(
        designs.items(), ("orange", "blue"), ("x", "o"), strict=True
    ):
        x = np.broadcast_to(d, values.shape)
        axis.plot(x.ravel(), values.ravel(), marker, color=COLORS[color], ms=5, label=name)
    ends = np.array([0, max(d)])
    axis.plot(ends, slope * ends, color="black", label=label)
    axis.set_xlabel("dimension d")
    axis.set_ylabel("variance of q·k")
    axis.legend(loc="upper left")
    return figure, (
        f"Variance of the dot product against d from {min(d)} to {max(d)}, every seed a point, on "
        f"the line {label}, which ends at {slope * max(d):.1f}. "
        + " ".join(
            f"There the estimates from {name} lie between {values[:, -1].min():.1f} and "
            f"{values[:, -1].max():.1f}."
            for name, values in designs.items()
        )
    )


@picture
def rows_of_scores(scores: Array) -> tuple[Figure, str]:
    """Draw rows of scores as strips, before and after subtracting each row's mean.

    Parameters
    ----------
    scores : array (rows, n)
        A row a query.
    """
    order = np.argsort(scores.mean(axis=-1))
    shown = scores[order]
    figure, axes = new_figure(1, 2, height=4.2, sharey=True)
    panels = (shown - shown.mean(), shown - shown.mean(axis=-1, keepdims=True))
    titles = ("Row and shift", "Row only: what counts")
    labels = ("q·k minus the mean of all", "q·k minus the row's mean")
    limit = np.abs(panels[0]).max() * 1.08
    for axis, panel, title, label in zip(axes, panels, titles, labels, strict=True):
        for height, row in enumerate(panel, start=1):
            axis.plot(row, np.full(row.size, height), "|", color=COLORS["blue"], ms=9, mew=1)
            axis.plot(row.mean(), height, "o", color=COLORS["red"], ms=5)
        axis.set_title(title)
        axis.set_xlim(-limit, limit)
        axis.set_xlabel(label)
    axes[0].set_ylabel("query, sorted by its mean")
    axes[0].set_yticks([])
    return figure, (
        f"{len(scores)} queries with {scores.shape[1]} keys each. Left: every row of scores has "
        f"its own centre; the centres have standard deviation "
        f"{scores.mean(axis=-1).std(ddof=1):.2f}. Right: around their own means the rows look "
        f"alike, with standard deviation {scores.std(axis=-1, ddof=1).mean():.2f} within a row."
    )


@picture
def after_dividing(d: Sequence[int], curves: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw the spread within a row of logits after dividing by the square root of d.

    Parameters
    ----------
    d : sequence of int
        Dimensions.
    curves : mapping from label to array (len(d),)
        Standard deviation within a row, measured.
    """
    figure, axis = new_figure(height=3.9)
    for (label, values), color, marker in zip(
        curves.items(), ("blue", "green", "red"), MARKERS, strict=False
    ):
        axis.loglog(d, values, color=COLORS[color], marker=marker, label=label)
    axis.axhline(1, color="black", lw=1, ls=":")
    axis.set_xticks(d, [str(value) for value in d])
    axis.minorticks_off()
    axis.set_ylim(5e-4, 60)
    axis.set_xlabel("dimension d")
    axis.set_ylabel("spread of a row of logits")
    axis.legend(loc="upper left", ncols=1)
    return figure, (
        "Standard deviation within a row of logits after dividing by the square root of d, for d "
        f"from {d[0]} to {d[-1]}. "
        + " ".join(
            f"{label}: from {values[0]:.3g} to {values[-1]:.3g}."
            for label, values in curves.items()
        )
    )
