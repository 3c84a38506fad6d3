"""Figures of chapter 6 that move: one function draws one frame, on axes that stay."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.encoder.searches import ScaleSearch
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def search_step(search: ScaleSearch, step: int) -> tuple[Figure, str]:
    """Draw the first `step` trials of a search for β, scored by accuracy, and the bracket."""
    if not 1 <= step <= len(search.trials):
        raise ValueError(f"step must be from 1 to {len(search.trials)}, got {step!r}")
    seen = ScaleSearch(search.trials[:step])
    newest, best, bracket = seen.trials[-1], seen.best, seen.neighbours()
    figure, axis = new_figure(height=3.9)
    axis.axvspan(*bracket, color="#E4E4E4", lw=0)
    tried, right = zip(*((trial.scale, 100 * trial.score) for trial in seen.trials), strict=True)
    axis.plot(tried, right, "o", color=COLORS["blue"], ms=8, label="tried")
    axis.plot(best.scale, 100 * best.score, "o", ms=15, mfc="none", mec="black", mew=2)
    axis.plot([], [], "o", ms=11, mfc="none", mec="black", mew=2, label="best so far")
    last = (newest.scale, 100 * newest.score)
    axis.plot(*last, "D", color=COLORS["red"], ms=9, label="newest trial")
    scales = [trial.scale for trial in search.trials]
    axis.set_xscale("log")
    _powers_of_ten(axis, min(scales), max(scales))
    axis.set(ylim=(-4, 104), xlabel="scale β", ylabel="right, %")
    axis.set_title(
        f"Trial {step} of {len(search.trials)}: β = {newest.scale:.3g} gives "
        f"{100 * newest.score:.0f} %\nbest so far: β = {best.scale:.3g}"
    )
    figure.legend(loc="outside lower center", ncols=3, handletextpad=0.2)
    return figure, (
        f"Trial {step} of {len(search.trials)}, {newest.why}: β = {newest.scale:.3g} gives "
        f"{100 * newest.score:.1f} %. The best so far is β = {best.scale:.3g} with "
        f"{100 * best.score:.1f} %; the bracket around it goes from {bracket[0]:.3g} to "
        f"{bracket[1]:.3g}."
    )


def _powers_of_ten(axis: Axes, low: float, high: float) -> None:
    """Set the ends of a logarithmic axis and write its powers of ten in full."""
    axis.set_xlim(low / 2, high * 2)
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    ticks = [10.0**power for power in powers]
    plain_ticks(axis, ticks, [f"{tick:g}" for tick in ticks])


@picture
def training_at_scale(
    accuracies: FloatArray,
    textbook: FloatArray,
    finals: tuple[FloatArray, FloatArray],
    scale: float,
    title: str,
) -> tuple[Figure, str]:
    """Draw accuracies (seeds, epochs) in training at one β, and where it stands among others.

    `textbook` (epochs,) is the median at d^-1/2; `finals` are values of β (m,), `scale` one of
    them, and the median accuracy (m,) at the end of training at each.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.2, height_ratios=(3, 2))
    epochs = np.arange(1, accuracies.shape[1] + 1)
    middle = 100 * np.median(accuracies, axis=0)
    for number, seed in enumerate(accuracies):
        label = "each seed" if number == 0 else None
        upper.plot(epochs, 100 * seed, color=COLORS["red"], lw=0.9, alpha=0.8, label=label)
    upper.plot(epochs, middle, "o-", color=COLORS["red"], ms=5, label="median")
    upper.plot(epochs, 100 * textbook, "--", color="black", lw=1.6, label=r"$d^{-1/2}$")
    upper.set(xlim=(0.7, epochs[-1] + 0.3), ylim=(-3, 125), xlabel="epoch")
    upper.set_title(f"β = {scale:g}, {title}")
    upper.legend(loc="upper left", ncols=3, handlelength=1.4)
    at = int(np.argmin(np.abs(finals[0] - scale)))
    lower.semilogx(finals[0], 100 * finals[1], color=COLORS["blue"])
    lower.plot(finals[0][at], 100 * finals[1][at], "o", ms=11, mfc=COLORS["orange"], mec="black")
    _powers_of_ten(lower, finals[0][0], finals[0][-1])
    lower.set(ylim=(-3, 103), xlabel="scale β")
    for axis in (upper, lower):
        axis.set(yticks=[0, 50, 100], ylabel="right, %")
    return figure, (
        f"Accuracy after each of {epochs[-1]} epochs at β = {scale:g}, {title}, "
        f"{len(accuracies)} seeds: the median goes from {middle[0]:.0f} to {middle[-1]:.0f} %, at "
        f"d^-1/2 from {100 * textbook[0]:.0f} to {100 * textbook[-1]:.0f} %. Below, the median at "
        f"the end against β: {100 * finals[1][at]:.0f} % here, the largest "
        f"{100 * finals[1].max():.0f} % at β = {finals[0][finals[1].argmax()]:g}."
    )
