"""Figures of the language model that was trained with and without √d."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.style import COLORS, Drawn, Look, new_figure, picture

LOOKS = {  # of an arm, the same in all figures
    "1/√d": Look(COLORS["blue"], "o", "-"),
    "none": Look(COLORS["red"], "s", "--"),
    "start only": Look(COLORS["green"], "^", ":"),
    "speed only": Look(COLORS["orange"], "D", "-."),
    "1/d": Look(COLORS["purple"], "v", ":"),
    "even": Look(COLORS["grey"], "P", "-."),
}
LOOKS |= dict.fromkeys(("divided by √d", "both = 1/√d"), LOOKS["1/√d"])
LOOKS |= {"not divided": LOOKS["none"], "divided by d": LOOKS["1/d"]}
LOOKS |= {"folded": LOOKS["speed only"], "QK norm": LOOKS["even"]}  # not beside these


@picture
def loss_by_rate(
    arms: Mapping[str, Mapping[float, Float64Array]], top: float = 2.8, level: float | None = None
) -> Drawn:
    """Draw losses {rate: (seeds,)} against the learning rate: every seed, a line through means.

    What is above `top` is drawn there; a dotted line stands at the `level` of counted pairs.
    """
    figure, axis = new_figure(height=4.2)
    yield figure
    yield (
        "Loss on validation text after training against the learning rate, a point a run and "
        "lines through the means."
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
    axis.set(xlabel="learning rate", ylabel="loss, nats a character")
    axis.legend(loc="upper left", ncols=2)
    axis.set_ylim(top=top + 0.25)


@picture
def by_step(
    steps: Sequence[int],
    panels: Mapping[str, Mapping[str, Float64Array]],
    what: str,
    heights: tuple[float, float] | None = None,
) -> Drawn:
    """Draw each run (runs, steps) and the median; without `heights` the axis is logarithmic."""
    figure, axes = new_figure(
        len(panels), 1, height=2.6 * len(panels) + 0.8, sharex=True, sharey=True
    )
    yield figure
    yield f"{what.capitalize()} against training steps, each run and the median."
    for axis, (title, arms) in zip(axes, panels.items(), strict=True):
        for name, runs in arms.items():
            look = LOOKS[name]
            middle = np.median(runs, axis=0)
            axis.plot(steps, runs.T, **look.line, lw=0.8, alpha=0.6)
            axis.plot(steps, middle, **look.both, ms=4, label=name)
            yield f"{title}, {name}: from {middle[0]:.2g} to {middle[-1]:.2g}."
        axis.set(title=title, ylabel=what, yscale="linear" if heights else "log")
        if heights:
            axis.set_ylim(heights)
        axis.minorticks_off()
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper left", ncols=2)
    axis.set_xlabel("training step")
