"""Figures of chapter 1, "Dot products grow", and of its deeper page."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.digits import true_minus
from why_sqrt_d.pictures.axes import beside, bold, key_bars, no_heights, plain_ticks
from why_sqrt_d.pictures.drawn import ARROW, KEYS, bare, shared_bar
from why_sqrt_d.pictures.style import COLORS, Drawn, looks, new_figure, picture


@picture
def larger_scores(rows: Mapping[str, FloatArray]) -> Drawn:
    """Draw the softmax weights of rows of scores (n,), one panel each, with the scores' range."""
    figure, axes = new_figure(len(rows), 1, height=4.6, sharex=True, sharey=True)
    yield figure
    yield f"Bar charts of {next(iter(rows.values())).size} softmax weights."
    for axis, (name, scores) in zip(axes, rows.items(), strict=True):
        weights = softmax(scores)
        key_bars(axis, weights)
        reach = true_minus(f"scores from {scores.min():.0f} to {scores.max():.0f}")
        axis.set_title(f"{name}: {reach}")
        yield f"{name}: {reach}, the largest weight is {weights.max():.2f}."
    axes[-1].set(xticks=np.arange(1, weights.size + 1), xlabel="key")
    figure.supylabel("weight", fontsize=12)


@picture
def growing_sums(paths: FloatArray) -> Drawn:
    """Draw partial sums q₁k₁ + … + q_j k_j against j, between the curves ±√j.

    `paths` has the shape (pairs, d): one row a pair of vectors, column j - 1 its first j products
    added up. The first row is drawn in the hot colour, so that one path can be followed.
    """
    pairs, d = paths.shape
    terms = np.arange(d + 1)
    figure, axis = new_figure(height=4.0)
    yield figure
    yield (
        f"{pairs} paths of partial sums of a score start at zero and fan out like a parabola on "
        "its side, between the curves plus and minus the root of the number of products."
    )
    sums = np.hstack([np.zeros((pairs, 1)), paths])
    axis.plot(terms, sums[1:].T, color=COLORS["blue"], lw=0.6, alpha=0.45)
    axis.plot(terms, sums[0], color=COLORS["red"], lw=1.4)
    for sign, name in ((1, "+√d"), (-1, "−√d")):
        axis.plot(terms, sign * np.sqrt(terms), color="black", lw=2)
        beside(axis, name, (d, sign * np.sqrt(d)), (5, 0), va="center", fontsize=12)
    shown = [j for j in (64, 256, 1024) if j <= d]
    axis.set_xticks([0, *shown], ["0", *(f"{j}" for j in shown)])
    limit = 1.03 * np.abs(sums).max()
    axis.set(xlim=(0, d * 1.01), ylim=(-limit, limit))
    axis.set(xlabel="products added up", ylabel="score so far")
    for j in shown:
        measured = f"their standard deviation is {paths[:, j - 1].std():.1f}"
        yield f"After {j} products {measured}, and the root of {j} is {np.sqrt(j):.1f}."


@picture
def three_keys(rows: Mapping[str, tuple[float, FloatArray]]) -> Drawn:
    """Draw attention to three keys: arrows and their feet on the query, and weights.

    `rows` maps a name to the query's length and the keys (3, 2), the first axis being the query's
    direction.
    """
    figure, axes = new_figure(len(rows), 2, height=1.5 * len(rows), width_ratios=(2.2, 1))
    longest = max(length for length, _ in rows.values())
    yield figure
    yield "Three keys as arrows with their feet on the line of the query, and a bar of weights."
    for (plane, bar), (name, (length, keys)) in zip(axes, rows.items(), strict=True):
        scores = length * keys[:, 0]
        weights = softmax(scores)
        arrow = ARROW | {"color": "black", "lw": 3}
        plane.annotate("", (length, 0), (0, 0), arrowprops=arrow)
        beside(plane, f"q, length {length:g}", (length, 0), (0, -6), va="top", ha="right")
        for key, color in zip(keys, KEYS, strict=True):
            arrow |= {"color": COLORS[color], "lw": 1.8}
            plane.annotate("", key, (0, 0), arrowprops=arrow)
            plane.plot([key[0]] * 2, [0, key[1]], ":", color=COLORS[color], lw=1.4)
            plane.plot(key[0], 0, "o", color=COLORS[color], ms=6)
        plane.set(xlim=(-0.9, longest), ylim=(-0.7, 1.45), xticks=[], yticks=[])
        plane.set_title(name)
        bare(plane)
        shared_bar(bar, weights)
        bar.set_ylim(-1.1, 1.3)
        said = true_minus(", ".join(f"{score:.1f}" for score in scores))
        bar.text(0, 0.45, f"scores {said}", va="bottom", fontsize=10.5)
        share = ", ".join(f"{weight:.2f}" for weight in weights)
        yield f"{name}: scores {said}, weights {share}."
    axes[0, 1].set_title("weights")


@picture
def rows_of_scores(scores: FloatArray) -> Drawn:
    """Draw rows of scores (queries, n) with and without their row's mean, and weights."""
    figure, axes = new_figure(1, 3, height=3.6, sharey=True)
    panels = (scores - scores.mean(), scores - scores.mean(axis=-1, keepdims=True))
    titles = ("The scores", "Without row means", "Weights of both")
    limit = np.abs(panels[0]).max() * 1.08
    for axis, panel in zip(axes, panels, strict=False):
        for height, row in enumerate(panel):
            axis.plot(row, np.full(row.size, height), "|", color=COLORS["blue"], ms=14, mew=1.4)
            axis.plot(row.mean(), height, "o", color=COLORS["red"], ms=5)
        axis.set(xlim=(-limit, limit), xticks=[0])
        axis.grid(axis="y", visible=False)
    for height, row in enumerate(scores):
        shared_bar(axes[2], np.sort(softmax(row))[::-1], height)
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title)
    axes[0].set(ylabel="one line a query", yticks=[])
    yield figure
    yield f"{len(scores)} queries with {scores.shape[1]} keys each."
    yield "Left: every row of scores has its own centre."
    yield "In the middle every row is moved to its mean."
    tops = ", ".join(f"{softmax(row).max():.2f}" for row in scores)
    yield f"Right: the weights, the same for both; the largest of a row are {tops}."


@picture
def with_and_without(d: Sequence[int], plain: Sequence[float], scaled: Sequence[float]) -> Drawn:
    """Draw the typical largest weight (len(d),) of a row against d, without and with 1/√d."""
    figure, axis = new_figure(height=3.6)
    curves = {"softmax(q·k)": plain, "softmax(q·k / √d)": scaled}
    above = {"softmax(q·k)": (0, -18), "softmax(q·k / √d)": (0, 9)}
    for label, values, look in looks(curves, "red blue"):
        axis.plot(d, values, **look.both)
        at = (d[-1], values[-1])
        bold(axis, label, at, above[label], look.color, ha="right", fontsize=12)
    axis.set_xscale("log", base=2)
    plain_ticks(axis, [value for value in d if value in (1, 4, 16, 64, 256, 1024)])
    axis.set(ylim=(0, 1.05), yticks=[0, 0.5, 1], xlabel="head dimension d")
    axis.set_ylabel("largest weight of ten")
    yield figure
    yield f"The median largest weight of ten keys against d from {d[0]} to {d[-1]}."
    yield (
        f"Without a scale it rises from {plain[0]:.2f} to {plain[-1]:.2f}; divided by the root of "
        f"d it goes from {scaled[0]:.2f} to {scaled[-1]:.2f}."
    )


@picture
def growth(d: Sequence[int], curves: Mapping[str, FloatArray]) -> Drawn:
    """Draw on logarithmic axes how quantities (len(d),) grow with d, each named at its end."""
    figure, axis = new_figure(height=4.0)
    yield figure
    yield f"Lines on logarithmic axes from d = {d[0]} to {d[-1]}."
    large = np.asarray(d) >= 16
    for label, values, look in looks(curves, "red blue green"):
        axis.loglog(d, values, **look.both)
        end, how = (d[-1], values[-1]), {"va": "center", "color": look.color, "fontsize": 11}
        beside(axis, label, end, (8, 0), **how)
        slope = np.polyfit(np.log(np.asarray(d)[large]), np.log(values[large]), 1)[0]
        yield f"{label}: slope {slope:.2f} from d = 16 on."
    plain_ticks(axis, [value for value in (2, 8, 32, 128, 512) if value <= d[-1]])
    axis.set(xlim=(d[0] * 0.8, d[-1] * 14))
    axis.set(xlabel="dimension d", ylabel="product, its mean, its spread")


@picture
def histograms(scores: Mapping[int, FloatArray]) -> Drawn:
    """Draw histograms of dot products (pairs,), one panel for each d, all on one axis."""
    figure, axes = new_figure(len(scores), 1, height=4.6, sharex=True)
    yield figure
    yield "Histograms of dot products of uniform vectors, one above the other on one axis."
    end = max(values.max() for values in scores.values())
    for axis, (d, values, look) in zip(axes, looks(scores, "green blue red"), strict=True):
        mean, std = values.mean(), values.std()
        yield f"At d = {d} the mean is {mean:.2f} and the standard deviation {std:.2f}."
        bins = np.linspace(values.min(), values.max(), 41)
        axis.hist(values, bins, density=True, color=look.color)
        words = f"d = {d}: mean {mean:.3g}, standard deviation {std:.2g}"
        axis.set_title(words, color=look.color)
        no_heights(axis)
    axes[-1].set(xlim=(-0.01 * end, 1.03 * end), xlabel="q·k")


@picture
def variance_line(
    d: Sequence[int], designs: Mapping[str, FloatArray], slope: float, label: str
) -> Drawn:
    """Draw measured variances (seeds, len(d)) against d, every seed a point, on a line.

    `slope` is the predicted variance per dimension, `label` the line's name.
    """
    figure, axis = new_figure(height=4.0)
    yield figure
    yield (
        f"Variance of the dot product against d from {min(d)} to {max(d)}, every seed a point, on "
        f"the line {label}, which ends at {slope * max(d):.1f}."
    )
    for name, values, look in looks(designs, "orange blue", markers="x o"):
        places = np.broadcast_to(d, values.shape)
        axis.plot(places.ravel(), values.ravel(), **look.points, ms=5, label=name)
        low, high = values[:, -1].min(), values[:, -1].max()
        yield f"There the estimates from {name} lie between {low:.1f} and {high:.1f}."
    ends = np.array([0, max(d)])
    axis.plot(ends, slope * ends, color="black", label=label)
    axis.set(xlabel="dimension d", ylabel="variance of q·k")
    axis.legend(loc="upper left")
