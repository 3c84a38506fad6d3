"""Figures of chapter 5, "Start and speed": one head over all rates."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.style import Drawn, looks, new_figure, picture


@picture
def against_rate(
    panels: Mapping[str, tuple[Sequence[float], Mapping[str, Float64Array]]],
) -> Drawn:
    """Draw medians over seeds of errors (seeds, rates) against learning rates."""
    figure, axes = new_figure(len(panels), 1, height=6.0, sharey=True)
    yield figure
    yield "Error against the learning rate, median over seeds."
    for axis, (title, (rates, curves)) in zip(axes, panels.items(), strict=True):
        for name, values, look in looks(curves, "blue green red purple", "- : -- -."):
            middle = np.median(values, axis=0)
            axis.loglog(rates, middle, **look.both, label=name)
            best = int(middle.argmin())
            yield f"{title}, {name}: least {middle[best]:.3f}, at {rates[best]:g}."
        axis.set(title=title, ylabel="error at the end", ylim=(0.018, 2))
        plain_ticks(axis, rates, [f"{rate:g}" for rate in rates])
        axis.set_yticks([0.02, 0.05, 0.2, 0.5, 1], ["0.02", "0.05", "0.2", "0.5", "1"])
    axes[0].legend(loc="upper center", ncols=2)
    axes[-1].set_xlabel("learning rate")
