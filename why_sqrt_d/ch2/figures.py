"""Figures of chapter 2, "The variance proof", and of its deeper pages."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.axes import beside, bold, no_heights, plain_ticks
from why_sqrt_d.pictures.drawn import ARROW
from why_sqrt_d.pictures.style import COLORS, Drawn, looks, new_figure, picture


@picture
def three_draws(scores: Mapping[str, FloatArray], stated: float) -> Drawn:
    """Draw histograms of q·k (rows,) under several draws, and the variance stated for all."""
    figure, axes = new_figure(len(scores), 1, height=4.6, sharex=True)
    yield figure
    yield f"Histograms of q·k for draws of which one would expect the same variance, {stated:.0f}."
    promise = np.sqrt(stated)
    for axis, (name, values, look) in zip(axes, looks(scores, "blue orange red"), strict=True):
        axis.hist(values, bins=np.arange(-82, 83, 4), color=look.color)
        for side in (-promise, promise):
            axis.axvline(side, color="black", ls="--", lw=1.4)
        title = f"{name}: variance {values.var(ddof=1):.0f}"
        yield f"{title}."
        axis.set_title(title)
        no_heights(axis)
    where = (promise, 0.72 * axes[0].get_ylim()[1])
    says = f"±{promise:.0f}: one standard\ndeviation, if Var = {stated:.0f}"
    beside(axes[0], says, where, (8, 0))
    axes[-1].set(xlabel="q·k", xticks=[-64, -32, 0, 32, 64])


@picture
def predicted_variances(panels: Mapping[str, Mapping[str, FloatArray]]) -> Drawn:
    """Draw measured over predicted variances of q·k: a dot a head, a panel several predictions."""
    figure, axes = new_figure(len(panels), 1, height=2.6 * len(panels), sharex=True)
    yield figure
    yield "Measured over predicted variances of q·k, a dot a head."
    rng = np.random.default_rng(1)
    for axis, (panel, predictions) in zip(axes, panels.items(), strict=True):
        for place, (name, ratios, look) in enumerate(looks(predictions, "red green blue")):
            heights = rng.uniform(-0.16, 0.16, ratios.size) - place
            axis.plot(ratios.ravel(), heights, "o", color=look.color, ms=5, alpha=0.6, mew=0)
            bold(axis, name, (6, 0.26 - place), (0, 0), look.color, ha="right", va="bottom")
            low, middle, high = ratios.min(), np.median(ratios), ratios.max()
            yield f"{panel}, {name}: {low:.2f} to {high:.2f}, median {middle:.2f}."
        axis.axvline(1, color="black", lw=1.2, ls=":")
        axis.set(title=panel, xscale="log", xlim=(0.42, 6))
        axis.set_ylim(1.6 - len(predictions) - 0.95, 0.65)
        no_heights(axis)
    plain_ticks(axes[-1], [0.5, 1, 2, 3, 5], ["½", "1", "2", "3", "5"])
    axes[-1].set_xlabel("variance of q·k, measured / predicted")


@picture
def clouds(pairs: Mapping[str, tuple[FloatArray, FloatArray]]) -> Drawn:
    """Draw queries as arrows and keys as dots for pairs of covariance matrices (2, 2)."""
    figure, axes = new_figure(1, len(pairs), height=3.2)
    yield figure
    yield (
        "Queries as arrows and keys as dots in the plane, for pairs of covariance matrices, with "
        "the variance of q·k."
    )
    rng = np.random.default_rng(8)
    turns, dots = np.arange(8) * np.pi / 4, rng.standard_normal((220, 2))
    arrows = 1.8 * np.column_stack([np.cos(turns), np.sin(turns)])
    for axis, (name, (query, key)) in zip(axes, pairs.items(), strict=True):
        x, y = np.linalg.cholesky(key) @ dots.T
        axis.plot(x, y, ".", color=COLORS["blue"], ms=3, alpha=0.5)
        for q in arrows @ np.linalg.cholesky(query).T:
            axis.annotate("", q, (0, 0), arrowprops=ARROW | {"color": COLORS["red"], "lw": 2})
        axis.set(xlim=(-3.9, 3.9), ylim=(-3.9, 3.9), xticks=[], yticks=[], aspect="equal")
        axis.grid(visible=False)
        axis.set_title(name)
        variance = float((query * key).sum())
        axis.set_xlabel(f"Var(q·k) = {variance:.2f}", weight="bold")
        yield f"{name.replace(chr(10), ' ')}: {variance:.2f}."


@picture
def aligned_and_unrelated(
    dims: Sequence[int], logits: Mapping[str, FloatArray], rho: float
) -> Drawn:
    """Draw logits q·k/√d of aligned and of unrelated pairs against d: one dot a pair.

    `logits` has "aligned" and "unrelated", each (len(dims), pairs); `rho` is the alignment.
    """
    figure, axis = new_figure(height=3.8)
    yield figure
    yield (
        f"Logits q·k/√d of aligned pairs (correlation {rho:g}) and of unrelated ones from d = "
        f"{dims[0]} to {dims[-1]}, on a linear axis."
    )
    fine = np.linspace(0, dims[-1], 200)
    jitter = 0.014 * dims[-1]
    for name, values, look in looks(logits, "red blue"):
        x = np.asarray(dims)[:, None] + np.linspace(-jitter, jitter, values.shape[1])
        axis.plot(x.ravel(), values.ravel(), ".", color=look.color, ms=3.5)
        last = float(values[-1].mean())
        yield f"{name}: mean {values[0].mean():z.1f} at {dims[0]}, {last:z.1f} at {dims[-1]}."
        above = (dims[-2], values[-2].max())
        bold(axis, f"{name} key", above, (0, 3), look.color, ha="center", va="bottom")
    axis.plot(fine, rho * np.sqrt(fine), color="black", lw=1.4)
    axis.set_xticks(dims, [str(d) for d in dims])
    axis.set(xlabel="dimension d", ylim=(min(v.min() for v in logits.values()) - 1, None))
    axis.set_title("q·k / √d")


@picture
def one_query_and_all(
    x: FloatArray,
    every: Mapping[int, FloatArray],
    single: Mapping[int, FloatArray],
    tails: Mapping[int, float],
) -> Drawn:
    """Draw the density of q·k/√d at `x` (m,) for several d: of all rows and of single queries'.

    `every` has densities (m,), `single` those of three queries (3, m), a short one first, and
    `tails` how much likelier than a normal variable q·k is beyond four deviations.
    """
    figure, axes = new_figure(len(every), 1, height=2.7 * len(every), sharex=True, squeeze=False)
    yield figure
    yield (
        "Densities of q·k/√d over all rows, over single queries' rows, which are normal, and the "
        "standard normal density, on a logarithmic axis."
    )
    normal = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    for axis, d in zip(axes[:, 0], every, strict=True):
        axis.plot(x, single[d].T, color="#8A8A8A", lw=1)
        axis.plot(x, normal, "--", color="black", lw=1.8)
        axis.plot(x, every[d], color=COLORS["blue"], lw=3)
        axis.set(yscale="log", ylim=(1e-6, 4), yticks=[1e-6, 1e-3, 1], xlim=(x[0], x[-1]))
        axis.minorticks_off()
        axis.set_title(f"d = {d}: density of q·k / √d")
        yield (
            f"At d = {d} q·k is {tails[d]:.2g} times as likely as a normal variable to be "
            f"beyond four standard deviations; single queries' rows have "
            f"{single[d][0].max():.2f} to {single[d][-1].max():.2f} in the middle."
        )
    top, long = axes[0, 0], next(iter(single.values()))[-1]
    right = {"ha": "right", "va": "center"}
    bold(top, "all rows", (0.9 * x[-1], 6e-6), (0, 0), COLORS["blue"], **right)
    far, near = np.argmin(np.abs(x + 4)), np.argmin(np.abs(x - 3.5))
    beside(top, "a long query", (x[far], long[far]), (-6, 2), ha="right", color="#666666")
    beside(top, "a short\nquery", (0, 3e-6), (0, 0), ha="center", va="bottom", color="#666666")
    beside(top, "normal", (x[near], normal[near]), (-22, -4), ha="center", va="top")
    axes[-1, 0].set_xlabel("q·k / √d")


@picture
def exact_densities(
    x: FloatArray, densities: Mapping[int, FloatArray], samples: Mapping[int, FloatArray]
) -> Drawn:
    """Draw for several d the exact density of q·k/√d at `x` (m,), and samples (rows,) of it."""
    figure, axis = new_figure(height=4.2)
    yield figure
    yield (
        "Exact density of q·k in standard deviations on a logarithmic axis, simulated points on "
        "the lines, and the normal density."
    )
    edges = np.linspace(-6, 6, 25)
    middles = (edges[1:] + edges[:-1]) / 2
    normal = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    far = np.argmin(np.abs(x - 4))
    for d, density, look in looks(densities, "red green blue", "- -- -."):
        shown = np.mean(np.abs(samples[d]) < edges[-1])
        heights = np.histogram(samples[d], bins=edges, density=True)[0] * shown
        axis.plot(x, density, **look.line, label=f"d = {d}, exact")
        seen = heights > 0
        axis.plot(middles[seen], heights[seen], **look.points, ms=5)
        times = f"{density[far] / normal[far]:.1f} times the normal density."
        yield f"At d = {d} and four standard deviations it is {times}"
    axis.plot(x, normal, color="black", lw=1.2, ls=":", label="normal")
    axis.set(yscale="log", ylim=(1e-6, 2), xlim=(-6, 6), yticks=[1e-6, 1e-4, 1e-2, 1])
    axis.set(xlabel="q·k in standard deviations", ylabel="density")
    axis.minorticks_off()
    axis.legend(loc="lower center", handlelength=2.6)


@picture
def initialisations(predicted: Mapping[str, float], measured: Mapping[str, FloatArray]) -> Drawn:
    """Draw, scheme by scheme, the standard deviation of logits: a bar, and a tick for each seed.

    `predicted` is a closed form; `measured` has one value for each draw of the weights (seeds,).
    """
    figure, axis = new_figure(height=3.0)
    yield figure
    yield "Standard deviation of the logits at initialisation, bars predicted, ticks measured."
    places = np.arange(len(predicted))[::-1]
    bar: dict[str, Any] = {"color": COLORS["blue"], "lw": 9, "solid_capstyle": "butt"}
    tick: dict[str, Any] = {"color": COLORS["red"], "ms": 18, "mew": 2}
    for place, (name, value) in zip(places, predicted.items(), strict=True):
        seeds = measured[name]
        axis.plot([0, value], [place, place], **bar)
        axis.plot(seeds, np.full(seeds.size, place), "|", **tick)
        beside(axis, f"{value:.2f}", (value, place), (10, 0), va="center", weight="bold")
        found = f"{seeds.min():.2f} to {seeds.max():.2f}"
        yield f"{name}: predicted {value:.2f}, measured {found}."
    axis.axvline(1, color="black", lw=1.2, ls=":")
    axis.set_yticks(places, [name.replace(", ", ",\n", 1) for name in predicted])
    axis.set(xlim=(0, 1.2), ylim=(-0.6, len(predicted) - 0.4), xticks=[0, 0.5, 1])
    axis.tick_params(axis="y", length=0)
    axis.grid(visible=False)
    axis.set_xlabel("standard deviation of the logits")


@picture
def broken(logits: Mapping[str, FloatArray]) -> Drawn:
    """Draw histograms of q·k/√d (pairs,) under each other, on the standard normal density."""
    figure, axes = new_figure(len(logits), 1, height=1.5 * len(logits), sharex=True, squeeze=False)
    x = np.linspace(-4, 4, 201)
    words = []
    for axis, (name, values) in zip(axes[:, 0], logits.items(), strict=True):
        axis.hist(values, np.linspace(-8, 8, 81), density=True, color=COLORS["blue"])
        axis.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), "--", color=COLORS["red"])
        axis.set(title=f"{name}: variance {values.var():.1f}")
        axis.set(xlim=(-8, 8), xticks=[-6, -3, 0, 3, 6])
        no_heights(axis)
        words.append(f"{name} {values.var():.2f}")
    axes[-1, 0].set_xlabel("q·k / √d")
    yield figure
    yield (
        "Histograms of q·k/√d beside the standard normal density, when an assumption of the proof "
        f"is broken. Their variances: {', '.join(words)}."
    )
