"""Figures of chapter 6, "Temperature", and of its deeper pages: needles, scales, lengths."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.axes import beside, bold, keys_axis, plain_heights, plain_ticks
from why_sqrt_d.pictures.style import COLORS, EDGED, Drawn, looks, new_figure, picture


@picture
def lost_needle(n: Sequence[int], weights: Mapping[str, FloatArray]) -> Drawn:
    """Draw the needle's weight (len(n), rows) among n others: median and middle 80 % of rows."""
    figure, axis = new_figure(height=3.9)
    yield figure
    yield f"Median weight of one unchanged key among {n[0]} to {n[-1]} random keys."
    for label, rows, look in looks(weights, "red blue", "- --"):
        middle = np.median(rows, axis=-1)
        low, high = np.quantile(rows, [0.1, 0.9], axis=-1)
        axis.fill_between(n, low, high, color=look.color, alpha=0.2, lw=0)
        axis.plot(n, middle, **look.both)
        place = len(n) // 2 + 1
        last = f"{middle[-1]:.2g} among {n[-1]}"
        yield f"{label}: {middle[0]:.2f} among {n[0]}, {last}."
        by, side = ((0, -20), "center") if middle[place] > 0.5 else ((0, 12), "left")
        beside(axis, label, (n[place], middle[place]), by, color=look.color, ha=side)
    keys_axis(axis, n[::4])
    axis.set(ylim=(0, 1.05), xlabel="number of other keys", ylabel="weight of the needle")


@picture
def from_mean_to_best(
    values: FloatArray, weights: Mapping[str, FloatArray], path: FloatArray
) -> Drawn:
    """Draw values (n, 2), as large as their weights (n,), and the output among them.

    A panel a scale, at least two; `path` (m, 2) is the output's way from the mean to the best.
    """
    figure, axes = new_figure(1, len(weights), height=2.4, sharex=True, sharey=True)
    yield figure
    yield (
        f"{len(values)} values as points of a plane, each as large as its weight, and the output "
        "between them, which moves from their mean to one of them."
    )
    for axis, (name, p) in zip(axes, weights.items(), strict=True):
        output = p @ values
        for value, weight in zip(values, p, strict=True):
            axis.plot(*zip(output, value, strict=True), color=COLORS["blue"], lw=5 * weight)
        axis.scatter(*values.T, s=15 + 400 * p, color=COLORS["blue"], alpha=0.7, lw=0)
        axis.plot(*path.T, color="black", lw=1, ls=":")
        axis.plot(*output, "D", color=COLORS["red"], ms=8, **EDGED)
        axis.set(title=name, xlim=(-1.6, 1.6), ylim=(-1.3, 1.6))
        axis.set_aspect("equal")
        axis.axis("off")
        yield f"{name}: the largest weight is {p.max():.2f}."


@picture
def learned_scale(
    paths: FloatArray, scales: FloatArray, losses: Sequence[float], nothing: float
) -> Drawn:
    """Draw the loss (m,) against the scale b (m,), and where runs (seeds, steps + 1) end on it.

    `nothing` is the loss of even weights.
    """
    figure, axis = new_figure(height=3.9)
    axis.plot(scales, losses, color=COLORS["blue"])
    ends = paths[:, -200:].mean(axis=1)
    where = (float(ends.mean()), float(np.interp(ends.mean(), scales, losses)))
    start = (float(paths[0, 0]), float(np.interp(paths[0, 0], scales, losses)))
    axis.plot(*start, "o", color=COLORS["grey"], ms=8)
    axis.plot(ends, np.interp(ends, scales, losses), "o", color=COLORS["red"], ms=9, **EDGED)
    beside(axis, "start: 1/√d", start, (9, 2), color=COLORS["grey"])
    bold(axis, f"{len(ends)} runs end here", where, (0, -22), COLORS["red"], ha="center")
    axis.axhline(nothing, color=COLORS["grey"], lw=1.2, ls=":")
    beside(axis, "even weights", (scales[-1], nothing), (0, 4), ha="right", color=COLORS["grey"])
    beside(axis, "too small:\ndrowned", (scales[0], losses[0]), (22, -30), va="top")
    late = 0.72 * scales[-1]
    right = (late, float(np.interp(late, scales, losses)))
    beside(axis, "too large:\nsure of the wrong key", right, (0, 26), ha="center")
    axis.set(ylim=(0, 1.12 * nothing), xlim=(0, scales[-1]))
    axis.set(xlabel="scale b, in units of 1/√d", ylabel="mean loss $-\\ln p_t$")
    yield figure
    yield (
        f"Mean loss against the scale b, from {losses[0]:.2f} at {scales[0]:.2g} down to "
        f"{min(losses):.2f} at {scales[np.argmin(losses)]:.2f} and up to {losses[-1]:.2f} at "
        f"{scales[-1]:g}; even weights have {nothing:.2f}. {len(ends)} runs that start at "
        f"{paths[0, 0]:.2f}, with {start[1]:.2f}, end between {ends.min():.2f} and "
        f"{ends.max():.2f}."
    )


@picture
def found_and_false(
    scales: FloatArray,
    found: FloatArray,
    alarms: FloatArray,
    band: tuple[float, float],
    marks: Mapping[str, float],
) -> Drawn:
    """Draw the share of rows (m,) that find a needle, and of those with a false alarm, by b (m,).

    In the `band` of scales both do well; three `marks` are scales with a name.
    """
    figure, axis = new_figure(height=3.6)
    axis.axvspan(*band, color="#E4E4E4", lw=0)
    yield figure
    yield f"Both are met for b from {band[0]:.1f} to {band[1]:.1f}."
    for label, share, color, dash, at, by, side in (
        ("needle found", found, COLORS["blue"], "-", 3.05, -18, "left"),
        ("false alarm", alarms, COLORS["red"], "--", 5.2, 4, "right"),
    ):
        axis.semilogx(scales, share, color=color, ls=dash)
        bold(axis, label, (at, np.interp(at, scales, share)), (0, by), color, ha=side)
        shares = [f"{np.interp(b, scales, share):.2f} at {name}" for name, b in marks.items()]
        yield f"{label}: a share of {', '.join(shares)}."
    for (name, b), side in zip(marks.items(), ("right", "left", "left"), strict=True):
        axis.axvline(b, color=COLORS["grey"], lw=1.2, ls=":")
        axis.text(b, 1.06, name, ha=side, color=COLORS["grey"])
    plain_ticks(axis, [0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axis.set(xlabel="scale b, in units of 1/√d", ylabel="share of the rows", ylim=(0, 1.03))


@picture
def counted(panels: Mapping[str, tuple[FloatArray, FloatArray, float]], n: int) -> Drawn:
    """Draw the competitors (m,) within a gap x (m,) of the best key, a line a geometry.

    The third of each is the half scale b. The axis has the gaps times b: in logits.
    """
    figure, axis = new_figure(height=3.8)
    yield figure
    yield f"Competitors within a gap, mean over rows of {n} keys."
    for title, (gap, count, scale), look in looks(panels, "blue green red", "- -- -."):
        seen, logit = count > 0, scale * gap
        axis.plot(logit[seen], count[seen], **look.line, label=title)
        yield (
            f"{title}: {np.interp(gap[-1] / 2, gap, count):.3g} competitors within "
            f"{gap[-1] / 2:.3g}, {count[-1]:.4g} within {gap[-1]:.3g}; half scale {scale:.2f}."
        )
    axis.plot(logit, np.exp(logit), color="black", lw=1.6, ls=":")
    beside(axis, r"$e^{bx}$", (6.5, np.exp(6.5)), (-8, 4), ha="right")
    plain_heights(axis, [10**k for k in range(5) if 10**k < 2 * n])
    axis.set(ylim=(0.3, 4 * n), xlim=(0, logit[-1]), xticks=[0, 4, 8, 12])
    axis.set(xlabel="gap b·x below the best logit, at the half scale b", ylabel="keys within x")
    axis.legend(loc="lower right")


@picture
def needed_scale(
    n: Sequence[int], measured: FloatArray, formula: FloatArray, rules: Mapping[str, FloatArray]
) -> Drawn:
    """Draw the least b (len(n),) that keeps half on a needle among n, and what rules give.

    `formula` predicts it, NaN where it has no root.
    """
    figure, axis = new_figure(height=3.9)
    yield figure
    ends = f"{measured[0]:.2f} at n = {n[0]} to {measured[-1]:.2f} at {n[-1]}"
    yield f"The scale that keeps half of the weight on the needle, measured, rises from {ends}."
    axis.fill_between(n, 0.1, measured, color="#E4E4E4", lw=0)
    axis.plot(n, formula, color="black", lw=1.6)
    axis.plot(n, measured, "o", color="black", **EDGED)
    axis.text(n[-1], 0.4, "too soft: the needle is lost ", ha="right", va="center")
    beside(axis, "needed", (n[5], measured[5]), (8, -16))
    for label, values, look in looks(rules, "red blue", "-- -."):
        axis.plot(n, values, **look.line)
        bold(axis, label, (n[1], values[1]), (6, 8), look.color, ha="right")
        enough = max(np.asarray(n)[values >= measured], default=0)
        yield f"{label}: from {values[0]:.2f} to {values[-1]:.2f}, enough up to n = {enough}."
    keys_axis(axis, n[::3])
    plain_heights(axis, (0.25, 0.5, 1, 2, 4, 8, 16))
    axis.set(ylim=(0.25, 20), xlabel="number of other keys n", ylabel="scale b")


@picture
def growth(
    n: Sequence[int],
    panels: Mapping[str, Mapping[str, tuple[FloatArray, FloatArray]]],
    rules: Mapping[str, FloatArray],
) -> Drawn:
    """Draw by what factor (len(n),) a scale must grow, a panel an aim, and what rules give.

    A curve has its formula, NaN where it has none, and its measured points or an empty array.
    """
    figure, axes = new_figure(len(panels), 1, height=6.0, sharex=True, sharey=True)
    yield figure
    yield f"By what factor the scale must grow from n = {n[0]} on, up to n = {n[-1]}."
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for label, values, look in looks(rules, "grey red", "-- :"):
            axis.plot(n, values, **look.line, label=label)
            if axis is axes[0]:
                yield f"{label}: {values[-1]:.2f} at the end."
        up = iter((8, 2, -4))  # so that names at the ends stay apart
        for label, (formula, points), look in looks(curves, "green blue purple", "-", "s o ^"):
            axis.plot(n, formula, color=look.color, lw=1.8)
            if points.size:
                axis.plot(n, points, **look.points, **EDGED)
            said = points if points.size else formula
            there = np.flatnonzero(np.isfinite(said))[-1]
            bold(axis, label, (n[there], said[there]), (7, next(up)), look.color, va="center")
            yield f"{title}, {label}: {said[there]:.2f} at n = {n[there]}."
        axis.set(title=title, ylabel="factor", xlim=(n[0], 3.2 * n[-1]))
    keys_axis(axes[-1], n[::2])
    axes[-1].set(xlabel="number of keys n")
    axes[0].legend(loc="upper left")


@picture
def laws_met(n: Sequence[int], ratios: Mapping[str, FloatArray]) -> Drawn:
    """Draw predicted over measured half scales (len(n),), a line a geometry."""
    figure, axis = new_figure(height=3.8)
    yield figure
    yield "Predicted over measured half scale against the number of keys."
    axis.axhline(1, color="black", lw=1.2, ls=":")
    for label, values, look in looks(ratios, "blue red green grey", "- -- -. :", "o v ^ D"):
        axis.plot(n, values, **look.both, **EDGED, label=label)
        yield f"{label}: {values[0]:.2f} at n = {n[0]}, {values[-1]:.2f} at {n[-1]}."
    keys_axis(axis, n[::2])
    axis.set(xlabel="number of keys n", ylabel="predicted / measured")
    axis.legend()


@picture
def three_temperatures(names: Sequence[str], rows: Mapping[str, FloatArray], what: str) -> Drawn:
    """Draw one row's probabilities (len(names),) as bars, a panel a temperature."""
    figure, axes = new_figure(1, len(rows), height=0.24 * len(names) + 1, sharey=True)
    yield figure
    yield f"The {what} of {' '.join(names)}, a bar each."
    for axis, (title, p) in zip(axes, rows.items(), strict=True):
        axis.barh(range(len(names)), p, color=COLORS["blue"])
        axis.set(title=title, xlim=(0, 1), xlabel=what)
        axis.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        axis.set_yticks(range(len(names)), names)
        axis.grid(axis="y", visible=False)
        yield f"{title}: {', '.join(f'{w:.2f}' for w in p)}."
    axes[0].invert_yaxis()


@picture
def capacity(
    n: Sequence[int], measured: Mapping[str, FloatArray], predicted: Mapping[str, FloatArray]
) -> Drawn:
    """Draw the weight of an exact match among n normalised random keys.

    `measured` holds arrays (len(n), rows), `predicted` the closed form (len(n),).
    """
    figure, axis = new_figure(height=3.8)
    yield figure
    yield "Weight of an exact match against the number of normalised random keys."
    for label, rows, look in looks(measured, "red blue", "- --"):
        mean, closed = rows.mean(axis=-1), predicted[label]
        axis.plot(n, closed, **look.line, label=f"{label}, predicted")
        axis.plot(n, mean, **look.points, label=f"{label}, measured")
        seen = f"{mean[0]:.3f} at n = {n[0]} and {mean[-1]:.3f} at n = {n[-1]}"
        said = f"{closed[0]:.3f} and {closed[-1]:.3f}"
        yield f"{label}: measured {seen}, predicted {said}."
    axis.axhline(0.5, color="black", lw=1, ls=":")
    keys_axis(axis, n[::5])
    axis.set(ylim=(0, 1.05), xlabel="number of other keys n", ylabel="weight of the match")
    axis.legend(loc="lower left")


@picture
def soft_cap(logits: FloatArray, capped: FloatArray, slopes: FloatArray, cap: float) -> Drawn:
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
    yield figure
    yield (
        f"A soft cap of {cap:g}: logits from {logits[0]:g} to {logits[-1]:g} become at most "
        f"{capped.max():.1f}. The slope is {at[1]:.2f} at the cap and {at[2]:.2f} at twice "
        "the cap."
    )


@picture
def aligned_logits(d: Sequence[int], panels: Mapping[str, Mapping[str, FloatArray]]) -> Drawn:
    """Draw root mean square logits (len(d),) of several kinds of pair, one panel a scale."""
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    yield figure
    yield "Root mean square logits against d."
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for label, values, look in looks(curves, "blue red", "-- -"):
            axis.loglog(d, values, **look.both, label=label)
            first, last = f"{values[0]:.2g} at d = {d[0]}", f"{values[-1]:.2g} at d = {d[-1]}"
            yield f"{title}, {label}: from {first} to {last}."
        axis.axhline(1, color="black", lw=1, ls=":")
        plain_ticks(axis, d[::4])
        axis.set(title=title, xlabel="d")
    axes[0].set_yticks((0.1, 1, 10), ("0.1", "1", "10"))
    axes[0].set_ylabel("root mean square logit")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)


@picture
def needle_against_scale(scales: FloatArray, weights: FloatArray, n: int, margin: float) -> Drawn:
    """Draw a needle's weight (rows, scales) among `n` others against the scale b = β√d.

    A line for the typical row, a band for four rows of five, and one row whose best key is just
    above the needle: its weight falls again.
    """
    low, median, high = np.quantile(weights, [0.1, 0.5, 0.9], axis=0)
    lost = weights[weights[:, -1] < 1e-3]
    row = lost[lost.max(axis=1).argmax()]
    figure, axis = new_figure(height=3.2)
    axis.fill_between(scales, low, high, color=COLORS["blue"], alpha=0.13, lw=0)
    axis.semilogx(scales, median, color=COLORS["blue"])
    axis.semilogx(scales, row, color=COLORS["red"], lw=2.6)
    axis.text(90, 0.93, "typical row", color=COLORS["blue"], ha="right", va="top")
    where, says = (
        (scales[row.argmax()] * 2.2, row.max() * 0.9),
        "another key scores\njust above it",
    )
    axis.text(*where, says, color=COLORS["red"], va="bottom")
    axis.text(0.12, 0.06, "outvoted by the many", color=COLORS["grey"])
    axis.set(xlabel="scale b = β√d", ylabel="the needle's weight", xlim=(0.1, 100), ylim=(0, 1.02))
    axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    plain_ticks(axis, [0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    one = int(np.abs(scales - 1).argmin())
    yield figure
    yield (
        f"The weight of a needle {margin:g} standard deviations above the mean of {n} others, "
        f"against the scale b from {scales[0]:g} to {scales[-1]:g}. At b = {scales[one]:.2g} a "
        f"typical row gives it {median[one]:.2f}, at the largest b {median[-1]:.2f}, and the "
        f"lowest tenth of the rows {low[-1]:.2f}. One row in which another key scores higher "
        f"gives it at most {row.max():.2f}, at b = {scales[row.argmax()]:.2g}."
    )
