"""Figures of chapter 4, "Gradient flow": clipping, depth and training."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attn_helpers.figures.style import COLORS, MARKERS, new_figure, picture

Array = NDArray[np.float64]
_LOOKS = tuple(zip(("blue", "red", "green"), ("-", "--", ":"), MARKERS, strict=False))


@picture
def clipping(growth: Array, curves: Mapping[str, Array]) -> tuple[Figure, str]:
    """Draw the length of a gradient against how much the weights have grown.

    Parameters
    ----------
    growth : array (k,)
        The factor on W_q, W_k and W_v.
    curves : mapping from label to array (k,)
        Lengths of the whole gradient.
    """
    figure, axis = new_figure(height=3.8)
    for (name, values), (color, dash, marker) in zip(curves.items(), _LOOKS, strict=False):
        axis.loglog(growth, values, color=COLORS[color], ls=dash, marker=marker, label=name)
    axis.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axis.set_xlabel("factor by which the matrices have grown")
    axis.set_ylabel("gradient to W_q")
    axis.minorticks_off()
    low, high = axis.get_ylim()
    axis.set_ylim(low, high * 60)
    axis.legend(loc="upper left")
    return figure, (
        "Length of the gradient to W_q against the growth of the three matrices from "
        f"{growth[0]:g} to {growth[-1]:g}. "
        + " ".join(
            f"{name}: from {values[0]:.2g} to {values[-1]:.2g}." for name, values in curves.items()
        )
    )


@picture
def depth(panels: Mapping[str, Mapping[str, Array]]) -> tuple[Figure, str]:
    """Draw gradient lengths against the number of layers that they came through.

    Parameters
    ----------
    panels : mapping from title to mapping from rule to array (seeds, layers + 1)
        Gradient lengths, from the output (no layer) to the input of the first layer.
    """
    figure, axes = new_figure(len(panels), 1, height=5.6, sharex=True, sharey=True)
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for (name, values), (color, dash, marker) in zip(curves.items(), _LOOKS, strict=False):
            layers = np.arange(values.shape[1])
            axis.fill_between(
                layers, values.min(0), values.max(0), color=COLORS[color], alpha=0.2, lw=0
            )
            middle = np.median(values, axis=0)
            axis.semilogy(
                layers, middle, color=COLORS[color], ls=dash, marker=marker, ms=5, label=name
            )
        axis.set_title(title)
        axis.set_ylabel("gradient")
        axis.minorticks_off()
    axes[0].legend(loc="upper left")
    axes[-1].set_xlabel("layers that the gradient came through")
    return (
        figure,
        "Gradient length against layers passed, median and range over seeds. "
        + " ".join(
            f"{title}, {name}: median {np.median(values[:, -1]):.3g} after "
            f"{values.shape[1] - 1} layers."
            for title, curves in panels.items()
            for name, values in curves.items()
        ),
    )


@picture
def learning_curves(
    steps: Sequence[int], panels: Mapping[str, Mapping[str, Array]]
) -> tuple[Figure, str]:
    """Draw learning curves: the median over seeds as a line, the range as a band.

    Parameters
    ----------
    steps : sequence of int
        Where the losses stand.
    panels : mapping from title to mapping from rule to array (seeds, len(steps))
        Losses.
    """
    figure, axes = new_figure(len(panels), 1, height=6.0, sharex=True, sharey=True)
    for axis, (title, curves) in zip(axes, panels.items(), strict=True):
        for (name, values), (color, dash, marker) in zip(curves.items(), _LOOKS, strict=False):
            axis.fill_between(
                steps, values.min(0), values.max(0), color=COLORS[color], alpha=0.18, lw=0
            )
            middle = np.median(values, axis=0)
            axis.plot(
                steps, middle, color=COLORS[color], ls=dash, marker=marker, ms=4.5, label=name
            )
        axis.axhline(1, color="black", lw=1, ls=":")
        axis.set_title(title)
        axis.set_ylabel("error")
        axis.set_ylim(0, 1.6)
    axes[0].legend(loc="upper right")
    axes[-1].set_xlabel("training steps")
    return figure, "Learning curves, median and range over seeds. " + " ".join(
        f"{title}, {name}: final error {np.median(values[:, -1]):.3f}, first below 0.5 at step "
        f"{_below(steps, np.median(values, axis=0))}."
        for title, curves in panels.items()
        for name, values in curves.items()
    )


def _below(steps: Sequence[int], losses: Array, limit: float = 0.5) -> str:
    """Return the first step whose loss is below the limit, or "never"."""
    found = np.flatnonzero(losses < limit)
    return str(steps[found[0]]) if found.size else "never"
