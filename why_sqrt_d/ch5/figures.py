"""Figures of chapter 5, "Start and speed": one head, and the trained language model."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from attn_helpers.checks import Float64Array
from why_sqrt_d.digits import true_minus
from why_sqrt_d.intervals import half_interval
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.style import (
    COLORS,
    STYLE,
    Drawn,
    Look,
    new_figure,
    picture,
    thousands,
)

LOOKS = {  # of an arm, the same in all figures; below, also of one that is never beside it
    "1/√d": Look(COLORS["blue"], "o", "-"),
    "none": Look(COLORS["red"], "s", "--"),
    "start only": Look(COLORS["green"], "^", ":"),
    "speed only": Look(COLORS["orange"], "D", "-."),
    "1/d": Look(COLORS["purple"], "v", ":"),
    "even": Look(COLORS["grey"], "P", "-."),
}
LOOKS |= dict.fromkeys(("divided by √d", "both = 1/√d"), LOOKS["1/√d"])
LOOKS |= {"not divided": LOOKS["none"], "divided by d": LOOKS["1/d"]}
LOOKS |= {"in β": LOOKS["1/√d"], "in W_q": LOOKS["speed only"], "nowhere": LOOKS["none"]}
LOOKS |= {
    "β = 1/d": LOOKS["1/d"],
    "folded": LOOKS["speed only"],
    "QK norm": LOOKS["even"],
    "1/8": LOOKS["start only"],
}
LOOKS |= {"as drawn": LOOKS["none"], "÷ 2.8": LOOKS["1/√d"], "÷ 8": LOOKS["1/d"]}
LOOKS |= {"kept": LOOKS["1/√d"], "dropped": LOOKS["none"], "absorbed": LOOKS["start only"]}


@picture
def losses_along(
    arms: Mapping[str, Mapping[float, Float64Array]],
    top: float = 2.8,
    level: float | None = None,
    along: str = "learning rate",
    on: str = "validation text",
) -> Drawn:
    """Draw losses {rate: (seeds,)} `on` a text `along` the rates: all seeds, lines through means.

    What is above `top` is drawn there; a dotted line stands at the `level` of counted pairs.
    """
    figure, axis = new_figure(height=4.2)
    yield figure
    yield (
        f"Loss on {on} after training against the {along}, a point a run and lines "
        "through the means."
    )
    for name, losses in arms.items():
        look = LOOKS[name]
        rates = list(losses)
        means = np.array([losses[rate].mean() for rate in rates])
        for rate in rates:
            seeds = np.clip(losses[rate], None, top)
            axis.semilogx(np.full(seeds.size, rate), seeds, **look.points, ms=4, alpha=0.55)
        axis.semilogx(
            rates, np.clip(means, None, top), **look.line, marker=look.marker, label=name
        )
        for rate, mean in zip(rates, means, strict=True):
            if mean > top:
                axis.annotate(f"↑ {mean:.2f}", (rate, top + 0.03), ha="center")
        best = int(means.argmin())
        yield f"{name}: least {means[best]:.2f}, at {rates[best]:g}."
    if level is not None:
        axis.axhline(level, color=COLORS["grey"], ls=":", lw=1.2)
        yield f"Counted pairs of letters give {level:.2f}, a dotted line."
    plain_ticks(axis, rates, [f"{rate:g}" for rate in rates])
    axis.set(xlabel=along, ylabel="loss, nats a character")
    axis.legend(loc="upper left", ncols=2)
    axis.set_ylim(top=top + 0.25)


@picture
def costs(panels: Mapping[str, Mapping[str, Float64Array]]) -> Drawn:
    """Draw how many nats each arm has more than another: each seed (seeds,), and their mean."""
    sizes = [len(arms) for arms in panels.values()]
    height, alike = 0.31 * sum(sizes) + 0.6 * len(sizes), {"sharex": True, "squeeze": False}
    figure, axes = new_figure(len(sizes), 1, height, height_ratios=sizes, **alike)
    yield figure
    yield "What each arm costs in nats, a point a seed, and the mean with its 95 % interval."
    for axis, (title, arms) in zip(axes.flat, panels.items(), strict=True):
        axis.axvline(0, color=COLORS["grey"], lw=1)
        for place, (name, more) in enumerate(arms.items()):
            axis.plot(more, np.full(more.size, place), **LOOKS["even"].points, ms=4, alpha=0.5)
            half, mean = half_interval(more), more.mean()
            axis.errorbar(mean, place, xerr=half, fmt="o", color=COLORS["blue"], capsize=3)
            right = max(more.max(), mean + half) + 0.02
            digits = 2 if abs(mean) >= 0.005 else 3  # no rounded zero with a sign
            axis.text(right, place, true_minus(f"{mean:+.{digits}f}"), va="center")
            yield f"{title}, {name}: {mean:+.3f} ± {half:.3f} ({more.size} seeds)."
        axis.set(title=title, yticks=range(len(arms)), yticklabels=arms)
        axis.set_ylim(len(arms) - 0.5, -0.5)
    axis.set_xlabel("nats a character, more than 1/√d")


@picture
def by_step(
    steps: Sequence[int],
    panels: Mapping[str, Mapping[str, Float64Array]],
    what: str,
    heights: tuple[float, float] | None = None,
    log_steps: bool = False,
) -> Drawn:
    """Draw each run (runs, steps) and the median; without `heights` their axis is logarithmic.

    With `log_steps` that of the steps is, too.
    """
    shared = {"sharex": True, "sharey": True, "squeeze": False}
    figure, axes = new_figure(len(panels), 1, height=2.6 * len(panels) + 0.8, **shared)
    yield figure
    yield f"{what.capitalize()} against training steps, each run and the median."
    for axis, (title, arms) in zip(axes.flat, panels.items(), strict=True):
        for name, runs in arms.items():
            look = LOOKS[name]
            middle = np.median(runs, axis=0)
            axis.plot(steps, runs.T, **look.line, lw=0.8, alpha=0.6)
            axis.plot(steps, middle, **look.both, ms=4, label=name)
            yield f"{title}, {name}: from {middle[0]:.2g} to {middle[-1]:.2g}."
        axis.set(title=title, ylabel=what, yscale="linear" if heights else "log")
        if heights:
            axis.set_ylim(heights)
        if log_steps:
            axis.set_xscale("log")
        axis.minorticks_off()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    axis.set_xlabel("training step")


@picture
def loss_by_length(panels: Mapping[str, Mapping[str, Mapping[int, Float64Array]]]) -> Drawn:
    """Draw the loss at the end against the steps of the training, {steps: (runs,)} an arm."""
    figure, axes = new_figure(len(panels), 1, height=2.3 * len(panels) + 0.8, sharex=True)
    yield figure
    yield "Loss at the end of a training against its steps, a point a run, lines through means."
    for axis, (title, arms) in zip(axes, panels.items(), strict=True):
        for name, ends in arms.items():
            look, means = LOOKS[name], [runs.mean() for runs in ends.values()]
            for steps, runs in ends.items():
                axis.plot(np.full(runs.size, steps), runs, **look.points, ms=4, alpha=0.55)
            axis.plot([*ends], means, **look.line, marker=look.marker, label=name)
            told = (f"{mean:.2f} after {steps}" for steps, mean in zip(ends, means, strict=True))
            yield f"{title}, {name}: {', '.join(told)}."
        axis.set(title=title, xscale="log", ylabel="loss, nats a character")
    plain_ticks(axis, [*ends], [thousands(steps) for steps in ends])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    axis.set_xlabel("steps of the training")


@picture
def start_and_speed(losses: Mapping[tuple[str, str], float], least: float = 0.0) -> Drawn:
    """Draw losses {(start, speed): loss} as a map, each written in its field; `least` is dark."""
    figure, axis = new_figure(height=3.0)
    yield figure
    yield "A map of losses: rows are starts of the matrices, columns are their speeds."
    starts, speeds = (list(dict.fromkeys(names)) for names in zip(*losses, strict=True))
    shades = LinearSegmentedColormap.from_list("", [COLORS["blue"], "#dfe9f3", "#f6f4ef"])
    colours = np.array([[losses[start, speed] for speed in speeds] for start in starts])
    axis.imshow(colours, cmap=shades, aspect="auto", vmin=least)
    for (start, speed), loss in losses.items():
        where = speeds.index(speed), starts.index(start)
        dark = loss - least < 0.18 * (colours.max() - least)
        ink = "white" if dark else STYLE["text.color"]
        axis.text(*where, f"{loss:.2f}", ha="center", va="center", color=ink)
    for start in starts:
        told = (f"{losses[start, speed]:.2f} {speed}" for speed in speeds)
        yield f"Start {start}: {', '.join(told)}."
    axis.set_xticks(range(len(speeds)), speeds)
    axis.set_yticks(range(len(starts)), starts)
    axis.grid(visible=False)
    axis.set(xlabel="speed of $W_q$ and $W_k$", ylabel="their start")


@picture
def gain_or_harm(panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> Drawn:
    """Draw points (x, nats) of each start against each panel's x, and a line at nought."""
    figure, axes = new_figure(len(panels), 1, height=2.6 * len(panels) + 0.6, sharey=True)
    yield figure
    yield "What learning W_q and W_k costs in nats: below nought it is a gain, above it does harm."
    for axis, (along, starts) in zip(axes, panels.items(), strict=True):
        axis.axhline(0, color=COLORS["grey"], lw=1)
        for name, points in starts.items():
            axis.semilogx(*zip(*points, strict=True), **LOOKS[name].points, ms=5, label=name)
            gains, harms = ([x for x, nats in points if (nats > 0) == harm] for harm in (0, 1))
            yield (
                f"{along}, {name}: gains from {min(gains):.2g} to {max(gains):.2g}, harm from "
                f"{min(harms):.2g} to {max(harms):.2g}."
            )
        decades = (0.0001, 0.001, 0.01)
        plain_ticks(axis, decades, [f"{x:g}" for x in decades])
        axis.set(xlabel=along, ylabel="nats more than untrained")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)


@picture
def against_rate(
    panels: Mapping[str, tuple[Sequence[float], Mapping[str, Float64Array]]],
) -> Drawn:
    """Draw medians over seeds of errors (seeds, rates) against learning rates."""
    figure, axes = new_figure(len(panels), 1, height=6.0, sharey=True)
    yield figure
    yield "Error against the learning rate, median over seeds."
    for axis, (title, (rates, curves)) in zip(axes, panels.items(), strict=True):
        for name, values in curves.items():
            look = LOOKS[name]
            middle = np.median(values, axis=0)
            axis.loglog(rates, middle, **look.both, label=name)
            best = int(middle.argmin())
            yield f"{title}, {name}: least {middle[best]:.3f}, at {rates[best]:g}."
        axis.set(title=title, ylabel="error at the end", ylim=(0.018, 2))
        plain_ticks(axis, rates, [f"{rate:g}" for rate in rates])
        axis.set_yticks([0.02, 0.05, 0.2, 0.5, 1], ["0.02", "0.05", "0.2", "0.5", "1"])
    axes[0].legend(loc="upper center", ncols=2)
    axes[-1].set_xlabel("learning rate")
