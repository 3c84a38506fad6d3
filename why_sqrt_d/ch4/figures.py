"""Figures of chapter 4, "Gradient flow": a row, one layer and a stack."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers.checks import Float64Array, FloatArray
from why_sqrt_d.pictures.axes import bold, plain_heights, plain_ticks, seed_range
from why_sqrt_d.pictures.style import COLORS, EDGED, Drawn, looks, new_figure, picture


@picture
def gradient_histograms(norms: Mapping[str, Float64Array]) -> Drawn:
    """Draw histograms of gradient norms (rows,), from 1e-12 on, a panel a rule."""
    figure, axes = new_figure(len(norms), 1, height=4.6, sharex=True)
    yield figure
    yield "Histograms of the length of each query's gradient, logarithmic axis."
    floor, top = 1e-12, 10 ** np.ceil(np.log10(max(values.max() for values in norms.values())))
    edges = np.geomspace(floor, top, 50)
    for axis, (name, values, look) in zip(axes, looks(norms, "blue red"), strict=False):
        axis.hist(np.clip(values, floor * 1.01, None), bins=edges, color=look.color)
        middle, rms = np.median(values), np.sqrt(np.mean(values**2))
        below, mean = f"half are below {_short(middle)}", f"root mean square {_short(rms)}"
        axis.axvline(middle, 0, 0.62, color="black", ls="--", lw=1.8, label=below)
        axis.axvline(rms, 0, 0.62, color="black", ls=":", lw=2.2, label=mean)
        axis.set(title=name, xscale="log", yticks=[], ylabel="queries")
        axis.set_ylim(0, axis.get_ylim()[1] / 0.62)
        axis.grid(visible=False)
        axis.legend(loc="upper left", bbox_to_anchor=(0.07, 1))
        yield f"{name}: median {middle:.2g}, root mean square {rms:.3g}."
    powers = range(round(np.log10(floor)), round(np.log10(top)) + 1, 3)
    labels = [f"$10^{{{power}}}$" for power in powers]
    axes[-1].set_xticks([10.0**power for power in powers], [f"≤ {labels[0]}", *labels[1:]])
    axes[-1].set_xlabel("length of one query's gradient")


def _short(value: float) -> str:
    """Write a positive number with two digits, whole from ten on."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


@picture
def pushed(rows: Mapping[str, tuple[Float64Array, Float64Array]]) -> Drawn:
    """Draw rows of two weights as bars of one length, before and after the second logit rises."""
    figure, axis = new_figure(height=2.9)
    yield figure
    yield (
        "Two rows of two weights, each a bar of length one, before and after the second logit "
        "rises by one."
    )
    place = 0.0
    for name, (before, after) in rows.items():
        bold(axis, name, (0, place - 0.55), (0, 0), "#3a4048", va="center")
        for label, p in (("before", before), ("after", after)):
            axis.barh(place, p[0], 0.7, color=COLORS["blue"])
            axis.barh(place, p[1], 0.7, left=p[0], color=COLORS["red"])
            axis.text(-0.02, place, label, ha="right", va="center")
            place += 0.8
        moved = 100 * (after[1] - before[1])
        if moved > 1:
            ends = (after[0], place - 1.2), (before[0], place - 1.2)
            axis.annotate("", *ends, arrowprops={"arrowstyle": "->", "lw": 2})
        axis.text(1.02, place - 1.2, f"{moved:.2g} % moves", va="center")
        yield f"{name}: {moved:.2g} per cent of the weight move."
        place += 1.1
    axis.set(xlim=(-0.16, 1.32), ylim=(place - 1.2, -0.9))
    axis.axis("off")


@picture
def mean_and_typical(
    std: Float64Array,
    rms: Float64Array,
    median: Float64Array,
    line: Float64Array,
    typical: Float64Array,
) -> Drawn:
    """Draw root mean square and median of the Jacobian's norm against the logits' deviation (k,).

    `line` and `typical` are what theory predicts for the two, NaN where it says nothing.
    """
    figure, axis = new_figure(height=4.0)
    blue, red = COLORS["blue"], COLORS["red"]
    axis.loglog(std, line, color=red, lw=1.8)
    axis.loglog(std, rms, "o", color=red, **EDGED)
    axis.loglog(std, typical, "--", color=blue, lw=1.8)
    axis.loglog(std, median, "s", color=blue, **EDGED)
    axis.set(ylim=(1e-12, 100), xlim=(std[0] / 1.1, std[-1] * 1.15))
    plain_ticks(axis, [1, 2, 4, 8, 16, 32, 64])
    upper, lower = "root mean square; line: $\\sqrt{m/3}$", "typical row;\nline: $2e^{-c\\sigma}$"
    bold(axis, upper, (std[-1], rms[-1]), (0, 20), red, ha="right")
    bold(axis, lower, (std[-4], median[-4]), (-10, -26), blue, ha="right")
    axis.set(xlabel="standard deviation of the logits", ylabel="norm of the Jacobian")
    yield figure
    yield (
        "Root mean square and median over rows of the norm of the softmax Jacobian against the "
        f"standard deviation of the logits. At {std[-1]:.0f} the one is {rms[-1]:.3f} (predicted "
        f"{line[-1]:.3f}), the other {median[-1]:.1e} (predicted {typical[-1]:.1e})."
    )


@picture
def who_is_right(d: Sequence[int], n: Sequence[int], ratios: Mapping[str, Float64Array]) -> Drawn:
    """Draw tables (len(d), len(n)) of the gradient without the scale over that with it.

    Of several tables the numbers are left out, and a sign says which is longer.
    """
    figure, axes = new_figure(len(ratios), 1, height=3.2 * len(ratios) + 0.2)
    yield figure
    yield "Tables of undivided gradient over divided gradient, over d and n."
    for axis, (name, table) in zip(np.atleast_1d(axes), ratios.items(), strict=True):
        axis.imshow(np.log10(table), cmap="RdBu_r", vmin=-2.4, vmax=2.4, aspect="auto")
        for (i, j), value in np.ndenumerate(table):
            color = "white" if abs(np.log10(value)) > 1.3 else "black"  # 3.4:1, dark mode too
            says = _ratio(value) if len(ratios) == 1 else "+" if value > 1 else "−"
            axis.text(j, i, says, ha="center", va="center", fontsize=12, color=color)
        axis.set_xticks(range(len(n)), [str(x) for x in n])
        axis.set_yticks(range(len(d)), [str(x) for x in d])
        axis.set(title=name, ylabel="dimension d")
        axis.grid(visible=False)
        below, reach = np.sum(table < 1), f"from {table.min():.1e} to {table.max():.3g}"
        yield f"{name}: below one in {below} of {table.size} settings, {reach}."
    np.atleast_1d(axes)[-1].set_xlabel("number of keys n")


def _ratio(value: float) -> str:
    """Write a ratio in few characters: 56, 4.1, 0.19, 0.07, 0.003, or a power of ten."""
    if value < 0.00095:
        return rf"$10^{{{round(np.log10(value))}}}$"
    if value < 0.0095:
        return f"{value:.3f}"
    if value >= 9.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.995 else f"{value:.2f}"


@picture
def against_scale(
    std: Float64Array, curves: Mapping[str, Float64Array], marks: Mapping[str, float]
) -> Drawn:
    """Draw gradient lengths (seeds, k) against β√d (k,), with values of it to mark.

    The mean over seeds is a line and their range a band.
    """
    figure, axis = new_figure(height=4.2)
    yield figure
    yield f"Length of a query's gradient against β√d from {std[0]:g} to {std[-1]:g}."
    for name, values, look in looks(curves, "red blue", "- --"):
        mean = values.mean(axis=0)
        seed_range(axis, std, values, look.color, alpha=0.25)
        axis.loglog(std, mean, **look.line, label=name)
        yield f"{name}: largest at {std[mean.argmax()]:.2g}."
    bottom, top = axis.get_ylim()
    axis.set_ylim(bottom, top * 30)
    for label, place in marks.items():
        axis.axvline(place, color="#555555", lw=1.1, ls=":")
        axis.text(place, top * 18, f" {label}", rotation=90, va="top", ha="right", fontsize=11)
    axis.set(xlabel="β√d, the spread of the logits", ylabel="gradient to a query")
    axis.minorticks_off()
    axis.legend(loc="lower left")


@picture
def depth(panels: Mapping[str, Mapping[str, Float64Array]]) -> Drawn:
    """Draw gradient lengths (seeds, layers + 1), from the output to the first layer's input."""
    figure, axes = new_figure(len(panels), 1, height=5.6, sharex=True, sharey=True)
    yield figure
    yield "Gradient length against layers passed, median and range over seeds."
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for name, values, look in looks(curves, "blue red green", "- -- :"):
            layers = np.arange(values.shape[1])
            middle = seed_range(axis, layers, values, look.color, alpha=0.2)
            axis.semilogy(layers, middle, **look.both, ms=5, label=name)
            yield f"{title}, {name}: median {middle[-1]:.3g} after {layers[-1]} layers."
        axis.set(title=title, ylabel="gradient")
        axis.minorticks_off()
    axes[0].legend(loc="upper left")
    axes[-1].set_xlabel("layers that the gradient came through")


@picture
def grows_and_vanishes(scales: FloatArray, entries: Mapping[float, FloatArray], d: int) -> Drawn:
    """Draw the largest entry of βJ (scales,) against β, a line for each gap of the two best.

    Upright lines stand at 1/√d and at 1.
    """
    figure, axis = new_figure(height=3.3)
    said = []
    for i, (gap, line) in enumerate(entries.items()):
        hot = i == len(entries) // 2
        color = COLORS["red" if hot else "blue"]
        axis.loglog(scales, line, color=color, lw=2.6 if hot else 1.6)
        peak = line.argmax()
        end = peak + int((line[peak:] > 6e-4).sum()) - 1
        axis.text(scales[end] * 1.12, line[end], f"gap {gap:g}", color=color)
        said.append(f"{line[peak]:.3f} at β = {scales[peak]:.2f} with a gap of {gap:g}")
    for at, name in ((d**-0.5, "divided by √d"), (1.0, "undivided")):
        axis.axvline(at, color=COLORS["grey"], ls="--", lw=1)
        axis.text(at, 1.35, name, color=COLORS["grey"], ha="center")
    axis.set(xlabel="scale β", ylabel="largest entry of βJ", ylim=(1e-4, 1.2))
    axis.set(xlim=(scales[0], scales[-1]))
    plain_ticks(axis, [1 / 64, 1 / 8, 1, 8], ["1/64", "1/8", "1", "8"])
    plain_heights(axis, [1e-4, 1e-3, 1e-2, 0.1, 1])
    yield figure
    yield (
        "The largest entry of βJ, for four weights, against the scale β, on logarithmic "
        f"axes: it grows with β, and then vanishes. Its peaks: {', '.join(said)} of the two best "
        "scores."
    )
