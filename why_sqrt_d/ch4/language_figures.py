"""Figures of the language model that was trained with and without √d."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.pictures.axes import plain_ticks, seed_range
from why_sqrt_d.pictures.style import COLORS, Drawn, looks, new_figure, picture

LOOKS = ("blue red green orange", "- -- : -.")  # of the arms, the same in both figures


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
    for name, losses, look in looks(arms, *LOOKS):
        rates = list(losses)
        means = np.array([losses[rate].mean() for rate in rates])
        for rate in rates:
            seeds = np.clip(losses[rate], None, top)
            axis.semilogx(np.full(seeds.size, rate), seeds, **look.points, ms=4, alpha=0.55)
        axis.semilogx(
            rates, np.clip(means, None, top), **look.line, marker=look.marker, label=name
        )
        best = int(means.argmin())
        yield f"{name}: least {means[best]:.2f}, at {rates[best]:g}."
    if level is not None:
        axis.axhline(level, color=COLORS["grey"], ls=":", lw=1.2)
        yield f"Counted pairs of letters give {level:.2f}, a dotted line."
    plain_ticks(axis, rates, [f"{rate:g}" for rate in rates])
    axis.set(xlabel="learning rate", ylabel="loss, nats a character")
    axis.legend(loc="upper left", ncols=2)
    low, _ = axis.get_ylim()
    axis.set_ylim(low, top + 0.25)


@picture
def spread_by_step(
    steps: Sequence[int], panels: Mapping[str, Mapping[str, Float64Array]]
) -> Drawn:
    """Draw the spread of the logits (seeds, steps) over training: median and range."""
    figure, axes = new_figure(len(panels), 1, height=2.6 * len(panels) + 0.8, sharex=True)
    yield figure
    yield "Spread of the logits within a row over training, logarithmic axis."
    for axis, (title, arms) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for name, spreads, look in looks(arms, *LOOKS):
            middle = seed_range(axis, steps, spreads, look.color, alpha=0.2)
            axis.semilogy(steps, middle, **look.both, ms=4, label=name)
            yield f"{title}, {name}: from {middle[0]:.2g} to {middle[-1]:.2g}."
        axis.set(title=title, ylabel="spread of the logits")
        axis.minorticks_off()
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper left", ncols=2)
    axis.set_xlabel("training step")
