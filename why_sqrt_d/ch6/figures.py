"""Figures of chapter 6, "The dynamic-β algorithm"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from why_sqrt_d.pictures.axes import seed_range
from why_sqrt_d.pictures.style import COLORS, EDGED, looks, new_figure, picture


@dataclass(frozen=True)
class Strip:
    """The accuracies of one setting's seeds, between 0 and 1, and what a paper states for it.

    A strong one is drawn as the new method.
    """

    label: str
    accuracies: Sequence[float]
    stated: float | None = None
    strong: bool = False


@picture
def strips(groups: Sequence[Strip], new: str, old: str) -> tuple[Figure, str]:
    """Draw every seed's accuracy, a strip a setting from the top down, with mean and paper.

    The legend says what strong strips stand for, `new`, and what others do, `old`.
    """
    figure, axis = new_figure(height=1.1 + 0.42 * len(groups))
    for place, group in zip(range(len(groups), 0, -1), groups, strict=True):
        _strip(axis, place, group)
    axis.set_yticks(range(len(groups), 0, -1), [group.label for group in groups])
    axis.set(ylim=(0.4, len(groups) + 0.6), xlim=(-3, 103), xlabel="positions that are right, %")
    axis.grid(axis="y", visible=False)
    _legend(figure, axis, (new, old), any(group.stated is not None for group in groups))
    return figure, "Accuracy of every seed, setting by setting. " + " ".join(
        f"{group.label}: {_spoken(group)}." for group in groups
    )


def _strip(axis: Axes, place: int, group: Strip) -> None:
    values = 100 * np.asarray(group.accuracies)
    # Spread the dots in a fixed pattern, so that equal values stay visible.
    heights = place + 0.16 * ((np.arange(values.size) * 7 % 5) / 2 - 1)
    color, marker = (COLORS["red"], "o") if group.strong else (COLORS["blue"], "s")
    axis.plot(values, heights, marker, color=color, ms=5.5, **EDGED)
    axis.plot([values.mean()] * 2, [place - 0.32, place + 0.32], color="black", lw=2)
    if group.stated is not None:
        axis.plot(100 * group.stated, place, "D", ms=10, mfc="none", mec="black", mew=1.5)


def _legend(figure: Figure, axis: Axes, names: tuple[str, str], stated: bool) -> None:
    axis.plot([], [], "s", color=COLORS["blue"], ms=5.5, label=names[1])
    axis.plot([], [], "o", color=COLORS["red"], ms=5.5, label=names[0])
    axis.plot([], [], "|", color="black", ms=11, mew=2, label="mean")
    if stated:
        axis.plot([], [], "D", ms=9, mfc="none", mec="black", mew=1.5, label="paper")
    # Along the figure, not the axes, which long labels make narrow.
    figure.legend(loc="outside upper left", ncols=4, columnspacing=0.9, handletextpad=0.2)


def _spoken(group: Strip) -> str:
    values = 100 * np.asarray(group.accuracies)
    stated = "" if group.stated is None else f"; the paper states {100 * group.stated:.2f}"
    return (
        f"{values.size} seeds from {values.min():.1f} to {values.max():.1f}, "
        f"mean {values.mean():.1f} %{stated}"
    )


@picture
def through_training(
    curves: Mapping[str, ArrayLike], label: str, line: float, line_label: str
) -> tuple[Figure, str]:
    """Draw a measurement (seeds, points) from the start of training to its end.

    The median over seeds is a line and the range a band, on a logarithmic axis with that `label`;
    `line` is a level to compare with.
    """
    figure, axis = new_figure(height=3.8)
    spoken = []
    for name, given, look in looks(curves, "blue red green"):
        values = np.asarray(given)
        done = np.linspace(0, 100, values.shape[1])
        middle = np.median(values, axis=0)
        seed_range(axis, done, values, look.color, alpha=0.18)
        axis.plot(done, middle, **look.both, label=name)
        spoken.append(f"{name}: from {middle[0]:.2f} to {middle[-1]:.2f}.")
    axis.axhline(line, color="black", ls="--", lw=1.4, label=line_label)
    axis.set(yscale="log", xlabel="share of the training done, %", ylabel=label)
    axis.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=2)
    return figure, f"{label} through training, medians over seeds. " + " ".join(spoken)


@picture
def against(
    x: Sequence[float],
    curves: Mapping[str, Sequence[ArrayLike]],
    xlabel: str,
    marks: Mapping[str, float],
) -> tuple[Figure, str]:
    """Draw every seed's accuracy against a setting on a logarithmic axis, medians joined.

    A curve has an array (seeds,) for each value of `x`; `marks` are vertical lines.
    """
    figure, axis = new_figure(height=3.8)
    spoken = []
    for name, groups, look in looks(curves, "blue red green", "- -- -."):
        medians = [100 * float(np.median(np.asarray(group))) for group in groups]
        axis.plot(x, medians, **look.line, label=name)
        for value, group in zip(x, groups, strict=True):
            seeds = 100 * np.asarray(group)
            axis.plot([value] * seeds.size, seeds, **look.points, ms=5, **EDGED)
        best = int(np.argmax(medians))
        first, highest = f"{medians[0]:.0f} % at {x[0]:g}", f"{medians[best]:.0f} % at {x[best]:g}"
        spoken.append(f"{name}: median {first}, at best {highest}.")
    for name, value in marks.items():
        axis.axvline(value, color="black", lw=1.2, ls=":")
        how = {"ha": "center", "va": "bottom", "fontsize": 11, "annotation_clip": False}
        axis.annotate(name, (value, 104), **how)
    axis.set(xscale="log", ylim=(-3, 103), xlabel=xlabel, ylabel="right, %")
    axis.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.08), ncols=3)
    return figure, f"Accuracy against {xlabel}, every seed. " + " ".join(spoken)
