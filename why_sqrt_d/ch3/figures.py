"""Figures of chapter 3, "Softmax saturation", and of its deeper pages: margins, keys, borders."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.axes import beside, bold, keys_axis, no_heights, plain_heights
from why_sqrt_d.pictures.style import (
    COLORS,
    EDGED,
    Drawn,
    looks,
    new_figure,
    picture,
    short_count,
    thousands,
)


@picture
def which_is_saturated(rows: Mapping[str, FloatArray]) -> Drawn:
    """Draw, for each row of weights (n,), how the largest and all the others share a bar."""
    figure, axis = new_figure(height=3.3)
    largest = {label: float(row.max()) for label, row in rows.items()}
    for place, (label, share) in enumerate(largest.items()):
        axis.barh(place, share, color=COLORS["red"], height=0.42)
        axis.barh(place, 1 - share, left=share, color=COLORS["blue"], alpha=0.45, height=0.42)
        axis.annotate(label, (0, place - 0.3), va="bottom", fontsize=12)
        by, side, color = ((-6, 0), "right", "white") if share > 0.3 else ((6, 0), "left", "black")
        bold(axis, f"{share:.2f}", (share, place), by, color, ha=side, va="center")
    axis.set(xlim=(0, 1), ylim=(len(rows) - 0.6, -0.75), yticks=[], xlabel="softmax weight")
    axis.spines["left"].set_visible(False)
    axis.grid(axis="y", visible=False)
    first = next(iter(largest.values()))
    axis.annotate("largest logit", (0.02, 0), va="center", color="white")
    axis.annotate("all others", (first + 0.02, 0), va="center")
    yield figure
    yield "Bars that show the largest softmax weight of a row of logits."
    yield from (f"Logits {label}: {share:.3f}." for label, share in largest.items())


@picture
def effective_keys(n: Sequence[int], curves: Mapping[str, FloatArray], shaded: str) -> Drawn:
    """Draw the 10 %, 50 % and 90 % quantiles (3, len(n)) of the effective keys against n.

    Medians are lines, whose labels stand at their right ends; only the curve `shaded` has a band.
    """
    figure, axis = new_figure(height=4.6)
    yield figure
    yield (
        f"Median effective number of keys against the number of keys, {n[0]} to {n[-1]}, with the "
        f"middle eighty per cent of the rows shaded for {shaded}.".replace("\n", " ")
    )
    axis.plot(n, n, color=COLORS["grey"], lw=1.2, ls=":")
    beside(axis, "all keys", (n[-1], n[-1]), (6, 0), va="center", color=COLORS["grey"])
    styled = looks(curves, "blue green purple red", "-- - -. -", "s o ^ D")
    for label, (low, middle, high), look in styled:
        if label == shaded:
            axis.fill_between(n, low, high, color=look.color, alpha=0.18, lw=0)
        axis.plot(n, middle, **look.both, **EDGED, ms=5)
        beside(axis, label, (n[-1], middle[-1]), (6, 0), va="center", color=look.color)
        first, last = short_count(middle[0]), short_count(middle[-1])
        yield f"{label}: {first} of {n[0]}, {last} of {n[-1]}."
    keys_axis(axis, [value for value in (2, 16, 128, 1024, 16384) if n[0] <= value <= n[-1]])
    plain_heights(axis, [value for value in (1, 10, 100, 1000, 10000) if value <= n[-1]])
    axis.set(ylim=(0.85, 1.5 * n[-1]), xlim=(n[0], n[-1]))
    axis.set(xlabel="number of keys n", ylabel="effective number of keys")


@picture
def reach(row: FloatArray, spreads: Mapping[str, float]) -> Drawn:
    """Draw a standard normal row (n,), and where n logits of each spread would have their weight.

    The axis counts the row's own standard deviations: at spread σ the density times e^z has its
    peak at σ of them, and beyond √(2 ln n) less than one key is expected. All hills are as high.
    """
    figure, axis = new_figure(height=3.0)
    end = float(np.sqrt(2 * np.log(row.size)))
    yield figure
    yield (
        f"A row of {row.size} logits in units of their standard deviation; less than one key is "
        f"expected beyond {end:.1f}."
    )
    z = np.linspace(-3.6, max(spreads.values()) + 3.2, 500)
    axis.fill_between(z, np.exp(-(z**2) / 2), color=COLORS["blue"], alpha=0.3, lw=0)
    axis.plot(row, np.full(row.size, -0.09), "|", color=COLORS["blue"], ms=7, mew=0.6)
    axis.plot([end, end], [-0.16, 1.01], color="black", lw=1.4, ls="--")
    beside(axis, "the row\nends", (end, 0.6), (6, 0), va="center")
    bold(axis, "keys", (-0.75, 0.8), (-6, 0), COLORS["blue"], ha="right")
    for name, spread in spreads.items():
        here, dash = ("most weight is here", "-") if spread < end else ("no key is here", "--")
        hill = z[np.abs(z - spread) < 3.1]
        axis.plot(hill, np.exp(-((hill - spread) ** 2) / 2), color=COLORS["red"], lw=2.6, ls=dash)
        bold(axis, f"{name}:\n{here}", (spread, 1), (0, 5), COLORS["red"], ha="center")
        beyond = f"{np.sum(row > spread)} of the logits lie beyond it"
        yield f"{name}: the peak of count times e^z is at {spread:g}, {beyond}; {here}."
    axis.set(xlim=(z[0], z[-1]), ylim=(-0.17, 1.35))
    axis.set_xlabel("logit, in standard deviations σ of its row")
    axis.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    no_heights(axis)


@picture
def keys_map(
    d: FloatArray, n: FloatArray, effective: FloatArray, levels: Sequence[float]
) -> Drawn:
    """Draw contours of the median effective keys (len(n), len(d)) of unscaled rows over d and n.

    The line d = 2 ln n is the border; beyond it the model's contours are lines parallel to it.
    """
    figure, axis = new_figure(height=4.8)
    x, y = np.log2(d), np.log2(n)
    drawn = axis.contour(
        x, y, np.log(effective), np.log(levels), colors=COLORS["blue"], linewidths=1.8
    )
    texts = [thousands(level) if level >= 10 else f"{level:g}" for level in levels]
    axis.clabel(drawn, fmt=dict(zip(drawn.levels, texts, strict=True)))
    keys = np.linspace(y[0], y[-1], 200)
    axis.plot(np.log2(2 * keys * np.log(2)), keys, color=COLORS["red"], lw=3.2)
    top = (np.log2(2 * y[-1] * np.log(2)), y[-1])
    bold(axis, "border", top, (0, 4), COLORS["red"], ha="center")
    axis.set_xticks(x[::2], [f"{value:.0f}" for value in d[::2]])
    axis.set_yticks(y[::3], [thousands(value) for value in n[::3]])
    axis.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    axis.grid(visible=False)
    axis.set(xlabel="dimension d, undivided", ylabel="number of keys n")
    on_it = [
        np.exp(np.interp(np.log(2 * np.log(size)), np.log(d), np.log(row)))
        for size, row in zip(n, effective, strict=True)
        if size >= 16
    ]
    yield figure
    yield (
        f"Contours of the median effective number of keys of unscaled rows, d from {d[0]:.0f} to "
        f"{d[-1]:.0f}, n from {n[0]:.0f} to {n[-1]:.0f}, and the border d = 2 ln n. On the border "
        f"it lies between {min(on_it):.1f} and {max(on_it):.1f} from n = 16 on; at the largest n "
        f"it is {effective[-1, 0]:.3g} for d = {d[0]:.0f} and {effective[-1, -1]:.3g} for "
        f"d = {d[-1]:.0f}."
    )


@picture
def predictions(
    ratio: FloatArray,
    entropy: Mapping[int, tuple[FloatArray, FloatArray]],
    participation: Mapping[int, tuple[FloatArray, FloatArray]],
    curves: Mapping[int, tuple[FloatArray, FloatArray, FloatArray]],
) -> Drawn:
    """Draw entropy and Σp² against σ/σ_c: points measured at `ratio` (m,), lines predicted.

    `entropy`, as a share of ln n, and `participation` map n to means (m,) and their standard
    errors; `curves` to ratios, entropy and Σp² (k,), NaN where nothing is predicted.
    """
    figure, axes = new_figure(2, 1, height=5.6, sharex=True)
    for axis, measured, place in zip(axes, (entropy, participation), (1, 2), strict=True):
        for n, (mean, error), look in looks(measured, "orange blue", "-- -", "s o"):
            axis.plot(curves[n][0], curves[n][place], **look.line, lw=1.8)
            label = f"n = {thousands(n)}"
            axis.errorbar(ratio, mean, yerr=2 * error, **look.points, ms=5, label=label)
        axis.axvline(1, color="black", lw=1, ls=":")
        axis.set_ylim(0, 1.04)
    axes[0].set_title("Entropy, as a share of ln n")
    axes[1].set_title("Σp², one over the effective keys")
    axes[0].legend(loc="upper right", title="points measured,\nlines predicted")
    axes[1].set_xlabel(r"spread of the logits, $\sigma/\sigma_c$")
    axes[1].set_xlim(0, ratio[-1] + 0.1)
    yield figure
    yield "Entropy and Σp² against σ/σ_c, measured and predicted."
    for n in entropy:
        predicted = [np.interp(ratio[-1], curves[n][0], curve) for curve in curves[n][1:]]
        yield (
            f"With {n} keys at σ/σ_c = {ratio[-1]:g}: entropy {entropy[n][0][-1]:.2f} of ln n "
            f"against {predicted[0]:.2f}, Σp² {participation[n][0][-1]:.2f} against "
            f"{predicted[1]:.2f}."
        )


@picture
def largest_histograms(
    shares: Mapping[float, FloatArray], means: Mapping[float, float], n: int
) -> Drawn:
    """Draw, at each σ/σ_c, the share of rows in equal bins (bins,) of the largest of n weights."""
    height = 1.5 * len(shares) + 0.6
    figure, axes = new_figure(len(shares), 1, height, sharex=True, squeeze=False)
    yield figure
    yield f"Histograms of the largest weight over rows of {n} keys."
    styled = looks(shares, "green blue orange red")
    for axis, (ratio, share, look) in zip(axes[:, 0], styled, strict=True):
        edges = np.linspace(0, 1, share.size + 1)
        widths, how = np.diff(edges), {"align": "edge", "color": look.color, "ec": "white"}
        axis.bar(edges[:-1], 100 * share, widths, **how)
        mean, top = means[ratio], f"{100 * share[-1]:.0f} % of the rows"
        axis.axvline(mean, color="black", ls="--", lw=1.6)
        axis.set(title=rf"$\sigma$ = {ratio:g} $\sigma_c$: mean {mean:.2f}", xlim=(0, 1))
        axis.grid(axis="x", visible=False)
        bins = f"in the last of {share.size} bins"
        yield f"At {ratio:g} σ_c the mean is {mean:.2f}; {top} are {bins}."
    axis.set_xlabel("largest weight of a row")
    figure.supylabel("per cent of the rows", fontsize=12)


@picture
def weights_beside_a_crowd(logits: FloatArray, crowd: int) -> Drawn:
    """Draw the weights of a few keys (m,) alone, and with a `crowd` of further keys at zero."""
    alone = softmax(logits)
    together = softmax(np.concatenate([logits, np.zeros(crowd)]))
    bars = [
        (np.append(alone, 0.0), "alone"),
        (np.append(together[: logits.size], together[logits.size :].sum()), f"{crowd} more at 0"),
    ]
    figure, axes = new_figure(1, 2, height=2.8, sharey=True)
    names = [f"{logit:g}" for logit in logits] + ["more"]
    colors = [COLORS["red"]] + [COLORS["blue"]] * (logits.size - 1) + [COLORS["grey"]]
    for axis, (heights, title) in zip(axes, bars, strict=True):
        axis.bar(range(heights.size), heights, color=colors)
        axis.set(title=title, ylim=(0, 1), xlabel="logit")
        axis.set_xticks(range(heights.size), names)
        axis.grid(visible=False)
    axes[0].set_ylabel("weight")
    margin = np.sort(logits)[-1] - np.sort(logits)[-2]
    said = ", ".join(f"{logit:g}" for logit in logits)
    yield figure
    yield (
        f"Softmax weights of the logits {said}, whose margin is {margin:g}. Alone the largest "
        f"weight is {alone.max():.2f}; with {crowd} more keys at logit 0 it is "
        f"{together.max():.2f}, and these share {bars[1][0][-1]:.2f}."
    )


@picture
def heaviest_keys(undivided: FloatArray, divided: FloatArray) -> Drawn:
    """Draw the weights (n,) of one row as two strips, heaviest first: undivided and divided."""
    figure, axis = new_figure(height=2.6)
    spoken = []
    for place, (name, weights) in enumerate((("undivided", undivided), ("divided", divided))):
        sizes = 100 * np.sort(weights)[::-1]
        colors = [COLORS["red"]] + [COLORS["blue"]] * (sizes.size - 1)
        edges = {"ec": "white", "lw": 0.8}
        axis.barh(place, sizes, 0.5, np.cumsum(sizes) - sizes, color=colors, **edges)
        how = {"color": COLORS["red"], "fontweight": "bold"}
        beside(axis, f"{name}: the top key has {sizes[0]:.0f} %", (0, place - 0.25), (0, 5), **how)
        spoken.append(f"{name} the largest are {sizes[0]:.0f} and {sizes[1]:.1f} per cent")
    axis.set(xlim=(0, 100), ylim=(1.35, -0.6), xticks=[0, 50, 100], yticks=[])
    axis.set(xlabel=f"% of the weight of {undivided.size} keys, the heaviest first")
    axis.grid(visible=False)
    yield figure
    yield (
        f"The weights of a row of {undivided.size} keys as parts of a strip, the heaviest first: "
        f"{', '.join(spoken)}."
    )
