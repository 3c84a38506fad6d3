"""Figures of chapter 2, "The variance proof"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.ch2.results import Comparison
from why_sqrt_d.pictures.axes import beside
from why_sqrt_d.pictures.style import COLORS, looks, new_figure, picture


@picture
def three_laws(scores: Mapping[str, FloatArray], stated: float) -> tuple[Figure, str]:
    """Draw histograms of q·k (rows,) under several laws, and the variance stated for all."""
    figure, axes = new_figure(len(scores), 1, height=5.0, sharex=True)
    promise = np.sqrt(stated)
    spoken = []
    for axis, (name, values, look) in zip(axes, looks(scores, "blue orange red"), strict=True):
        axis.hist(values, bins=np.arange(-82, 83, 4), density=True, color=look.color)
        for side, label in ((-promise, None), (promise, f"±{promise:.0f}, as stated")):
            axis.axvline(side, color="black", ls="--", lw=1.6, label=label)
        title = f"{name}: variance {values.var(ddof=1):.0f}"
        spoken.append(f"{title}.")
        axis.set(title=title, yticks=[])
        axis.grid(visible=False)
    axes[0].legend(loc="upper right")
    axes[-1].set_xlabel("q·k")
    return figure, (
        f"Histograms of q·k for laws that a formula gives the same variance, {stated:.0f}. "
        + " ".join(spoken)
    )


@dataclass(frozen=True)
class Dial:
    """One assumption turned away from zero: what theory predicts and what was measured."""

    title: str
    label: str
    settings: FloatArray
    shown: Comparison
    ylabel: str = "Var(q·k) / d"
    textbook: float = 1.0


@picture
def assumption_dial(dials: Sequence[Dial]) -> tuple[Figure, str]:
    """Draw one panel a dial: predicted line, measured points with two standard errors."""
    figure, axes = new_figure(2, 2, height=5.6)
    spoken = []
    for axis, dial, color in zip(axes.flat, dials, COLORS.values(), strict=False):
        x, shown = dial.settings, dial.shown
        axis.plot(x, shown.predicted, color="black", lw=1.4, label="predicted")
        look: dict[str, Any] = {"fmt": "o", "ms": 5, "capsize": 3, "color": color}
        axis.errorbar(x, shown.measured, yerr=2 * shown.error, **look, label="measured")
        axis.axhline(dial.textbook, color="grey", lw=1, ls=":")
        axis.set(title=dial.title, xlabel=dial.label, ylabel=dial.ylabel)
        first, last = (f"{shown.predicted[i]:.2f} at {x[i]:.2f}" for i in (0, -1))
        spoken.append(f"{dial.title}: from {first} to {last}.")
    axes.flat[0].legend(loc="upper left")
    return figure, (
        "Panels of Var(q·k)/d, the last one of E[q·k]/√d, measured points on predicted lines. "
        + " ".join(spoken)
    )


@picture
def exact_densities(
    x: FloatArray, densities: Mapping[int, FloatArray], samples: Mapping[int, FloatArray]
) -> tuple[Figure, str]:
    """Draw for several d the exact density of q·k/√d at `x` (m,), and samples (rows,) of it."""
    figure, axis = new_figure(height=4.2)
    edges = np.linspace(-6, 6, 25)
    middles = (edges[1:] + edges[:-1]) / 2
    normal = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    far = np.argmin(np.abs(x - 4))
    spoken = []
    for d, density, look in looks(densities, "red green blue", "- -- -."):
        shown = np.mean(np.abs(samples[d]) < edges[-1])
        heights = np.histogram(samples[d], bins=edges, density=True)[0] * shown
        axis.plot(x, density, **look.line, label=f"d = {d}, exact")
        seen = heights > 0
        axis.plot(middles[seen], heights[seen], **look.points, ms=5)
        times = f"{density[far] / normal[far]:.1f} times the normal density."
        spoken.append(f"At d = {d} and four standard deviations it is {times}")
    axis.plot(x, normal, color="black", lw=1.2, ls=":", label="normal")
    axis.set(yscale="log", ylim=(1e-6, 2), xlim=(-6, 6))
    axis.set(xlabel="q·k in standard deviations", ylabel="density")
    axis.legend(loc="upper right", ncols=1, handlelength=2.6)
    return figure, (
        "Exact density of q·k in standard deviations on a logarithmic axis, simulated points on "
        "the lines, and the normal density. " + " ".join(spoken)
    )


@picture
def initialisations(
    predicted: Mapping[str, float], measured: Mapping[str, FloatArray]
) -> tuple[Figure, str]:
    """Draw, scheme by scheme, the standard deviation of logits: a bar, and a tick for each seed.

    `predicted` is a closed form; `measured` has one value for each draw of the weights (seeds,).
    """
    figure, axis = new_figure(height=3.4)
    places = np.arange(len(predicted))[::-1]
    bar: dict[str, Any] = {"color": COLORS["blue"], "lw": 5, "solid_capstyle": "butt"}
    tick: dict[str, Any] = {"color": COLORS["red"], "ms": 18, "mew": 2}
    spoken = []
    for place, (name, value) in zip(places, predicted.items(), strict=True):
        labels = ("predicted", "measured") if place == places[0] else (None, None)
        seeds = measured[name]
        axis.plot([0, value], [place, place], **bar, label=labels[0])
        axis.plot(seeds, np.full(seeds.size, place), "|", **tick, label=labels[1])
        beside(axis, f"{value:.2f}", (value, place), (9, 0), va="center")
        found = f"{seeds.min():.2f} to {seeds.max():.2f}"
        spoken.append(f"{name}: predicted {value:.2f}, measured {found}.")
    axis.axvline(1, color="black", lw=1.2, ls=":")
    axis.set_yticks(places, list(predicted))
    axis.set(xlim=(0, 1.25), ylim=(-0.6, len(predicted) - 0.4))
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("standard deviation of the logits")
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return figure, (
        "Standard deviation of the logits at initialisation, bars predicted, ticks measured. "
        + " ".join(spoken)
    )
