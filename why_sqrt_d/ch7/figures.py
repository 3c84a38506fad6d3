"""Figures of chapter 7, "The dynamic-β algorithm", and of its deeper pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from why_sqrt_d.ch7.table import successes
from why_sqrt_d.pictures.axes import beside, bold, plain_heights, plain_ticks, seed_range
from why_sqrt_d.pictures.style import COLORS, EDGED, Drawn, looks, new_figure, picture

OLD, NEW = COLORS["blue"], COLORS["red"]  # of 1/√d, and of what is held against it
GAP = 0.85  # above a heading, in strips
LARGE = 12.5  # points, of names that a phone must show


@dataclass(frozen=True)
class Strip:
    """The accuracies of one setting's seeds, between 0 and 1, and what a paper states for it.

    A strong one is drawn as the new method; `faster` are runs at a larger learning rate.
    """

    label: str
    accuracies: Sequence[float]
    stated: float | None = None
    strong: bool = False
    faster: Sequence[float] = ()


@picture
def strips(groups: Mapping[str, Sequence[Strip]], new: str, old: str, faster: str = "") -> Drawn:
    """Draw every seed's accuracy, a strip a setting from the top down, with mean and paper.

    On the right stands how many of its runs succeed.

    Strips stand in groups under their headings; a group without one has the name "". The legend
    says what strong strips stand for, `new`, what others do, `old`, and the `faster` runs.
    """
    every = [group for named in groups.values() for group in named]
    height = len(every) + GAP * sum(bool(heading) for heading in groups)
    figure, axis = new_figure(height=0.95 + 0.34 * height)
    place, places = 0.0, []
    for heading, named in groups.items():
        if heading:
            place += GAP
            how = {"va": "center", "fontsize": LARGE}
            bold(axis, heading, (0, place - 0.05), (0, 0), "#3a4048", **how)
        for group in named:
            place += 1
            places.append(place)
            _strip(axis, place, group)
    axis.text(1.02, 0.3, "> 95 %", transform=axis.get_yaxis_transform(), va="bottom")
    axis.set_yticks(places, [group.label for group in every], fontsize=LARGE)
    axis.set(ylim=(place + 0.6, 0.3), xlim=(-3, 103), xlabel="places that are right, %")
    axis.grid(axis="y", visible=False)
    stated = any(group.stated is not None for group in every)
    _legend(figure, axis, (old, new), faster, stated)
    yield figure
    yield "Accuracy of every seed, setting by setting."
    for heading, named in groups.items():
        for group in named:
            yield f"{heading}{', ' if heading else ''}{group.label}: {_spoken(group)}."


def _strip(axis: Axes, place: float, group: Strip) -> None:
    values = 100 * np.asarray(group.accuracies)
    # Spread the dots in a fixed pattern, so that equal values stay visible.
    heights = place + 0.16 * ((np.arange(values.size) * 7 % 5) / 2 - 1)
    color, marker = (NEW, "o") if group.strong else (OLD, "s")
    if group.faster:
        fast = 100 * np.asarray(group.faster)
        axis.plot(fast, np.full(fast.size, place), "|", color=COLORS["green"], ms=15, mew=2.6)
    else:
        axis.plot([values.mean()] * 2, [place - 0.32, place + 0.32], color="black", lw=2)
    axis.plot(values, heights, marker, color=color, ms=5.5, alpha=0.85, **EDGED)
    learned = f"{successes(group.accuracies)}/{values.size}"
    axis.text(
        1.02, place, learned, transform=axis.get_yaxis_transform(), va="center", fontsize=LARGE
    )
    if group.stated is not None:
        axis.plot(100 * group.stated, place - 0.36, "v", color="black", ms=7)  # above its dots


def _legend(figure: Figure, axis: Axes, names: tuple[str, str], faster: str, stated: bool) -> None:
    if stated:
        axis.plot([], [], "v", color="black", ms=7, label="paper")
    axis.plot([], [], "s", color=OLD, ms=5.5, label=names[0])
    axis.plot([], [], "o", color=NEW, ms=5.5, label=names[1])
    if faster:
        axis.plot([], [], "|", color=COLORS["green"], ms=12, mew=2.6, label=faster)
    else:
        axis.plot([], [], "|", color="black", ms=11, mew=2, label="mean")
    # Along the figure, not the axes, which long labels make narrow.
    figure.legend(
        loc="outside upper left", ncols=2 if faster else 4, columnspacing=0.9, handletextpad=0.2
    )


def _spoken(group: Strip) -> str:
    values = 100 * np.asarray(group.accuracies)
    stated = "" if group.stated is None else f"; the paper states {100 * group.stated:.2f}"
    fast = "" if not group.faster else f"; at the larger rate from {100 * min(group.faster):.1f}"
    return (
        f"{values.size} seeds from {values.min():.1f} to {values.max():.1f}, "
        f"mean {values.mean():.1f} %, {successes(group.accuracies)} above 95 %{stated}{fast}"
    )


@picture
def mirrors(maps: Mapping[str, FloatArray]) -> Drawn:
    """Draw weights (queries, keys), each map in its own panel, dark where a weight is one.

    The description tells the mean weight on the mirrored position.
    """
    figure, axes = new_figure(1, len(maps), height=3.2, sharey=True)
    yield figure
    yield "Mean attention weights of position on position."
    for axis, (name, weights) in zip(np.atleast_1d(axes), maps.items(), strict=True):
        axis.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        axis.set_title(name.replace(", ", "\n"), fontsize=10.5)
        last = len(weights)
        axis.set(xticks=[0, last - 1], yticks=[0, last - 1])
        axis.set_xticklabels(["1", str(last)])
        axis.set_yticklabels(["1", str(last)])
        axis.grid(visible=False)
        mirrored = float(np.mean(np.diag(weights[:, ::-1])))
        yield f"{name.replace(chr(10), ' ')}: {mirrored:.2f} on the mirrored position."
    first = np.atleast_1d(axes)[0]
    first.set(xlabel="position looked at", ylabel="position that looks")


@picture
def through_training(
    curves: Mapping[str, ArrayLike], label: str, line: float, line_label: str
) -> Drawn:
    """Draw a measurement (seeds, points) from the start of training to its end.

    The median over seeds is a line and the range a band, on a logarithmic axis with that `label`;
    `line` is a level to compare with.
    """
    figure, axis = new_figure(height=3.8)
    yield figure
    yield f"{label} through training, medians over seeds."
    for name, given, look in looks(curves, "blue red green"):
        values = np.asarray(given)
        done = np.linspace(0, 100, values.shape[1])
        middle = seed_range(axis, done, values, look.color, alpha=0.18)
        axis.plot(done, middle, **look.both)
        bold(axis, name, (100, middle[-1]), (7, 0), look.color, va="center")
        yield f"{name}: from {middle[0]:.2f} to {middle[-1]:.2f}."
    axis.axhline(line, color="black", ls="--", lw=1.4)
    beside(axis, line_label, (99, line), (0, 4), ha="right")
    plain_heights(axis, [0.1, 1, 10])
    axis.set(xlim=(0, 100), xlabel="share of the training done, %", ylabel=label)


@picture
def against(
    x: Sequence[float],
    panels: Mapping[str, Mapping[str, Sequence[ArrayLike]]],
    xlabel: str,
    marks: Mapping[str, float],
    ticks: Mapping[float, str],
) -> Drawn:
    """Draw every seed's accuracy against a setting on a logarithmic axis, medians joined.

    In each panel a curve has an array (seeds,) for each value of `x`; `marks` are vertical lines.
    """
    figure, axes = new_figure(len(panels), 1, height=1.2 + 2.5 * len(panels), sharex=True)
    yield figure
    yield f"Accuracy against {xlabel}, every seed."
    for number, (axis, (title, curves)) in enumerate(
        zip(np.atleast_1d(axes), panels.items(), strict=True)
    ):
        for name, groups, look in looks(curves, "blue green", "- --"):
            medians = [100 * float(np.median(np.asarray(group))) for group in groups]
            axis.plot(x, medians, **look.line, label=None if number else name)
            for value, group in zip(x, groups, strict=True):
                seeds = 100 * np.asarray(group)
                axis.plot([value] * seeds.size, seeds, **look.points, ms=5, **EDGED)
            best = int(np.argmax(medians))
            first = f"{medians[0]:.0f} % at {x[0]:g}"
            highest = f"{medians[best]:.0f} % at {x[best]:g}"
            where = f"{title}, {name}" if title else name
            yield f"{where}: median {first}, at best {highest}."
        for name, value in marks.items():
            axis.axvline(value, color="black", lw=1.2, ls=":")
            if not number:
                how = {"ha": "center", "va": "bottom", "fontsize": 10.5, "annotation_clip": False}
                axis.annotate(name, (value, 104), **how)
        axis.set_xscale("log")
        plain_ticks(axis, list(ticks), list(ticks.values()))
        axis.set(ylim=(-3, 103), ylabel="right, %", yticks=[0, 50, 100])
        axis.set_title(title, pad=20 if marks and not number else 6)
    np.atleast_1d(axes)[-1].set_xlabel(xlabel)
    figure.legend(loc="outside upper left", ncols=3)


@picture
def two_rates(runs: Mapping[str, Sequence[Sequence[Sequence[int]]]], beta: str) -> Drawn:
    """Draw training runs at each learning rate, with 1/√d and with another β.

    ``runs[rate]`` holds both scales' runs, a run as accuracies in thousandths, a mean over each
    epoch, and last that on new strings, in ten-thousandths.
    """
    figure, axes = new_figure(1, len(runs), height=2.9, sharey=True, squeeze=False)
    looks = (("β = 1/√d", COLORS["blue"], "--"), (f"β = {beta}", COLORS["red"], "-"))
    said = []
    for axis, (rate, scales) in zip(axes[0], runs.items(), strict=True):
        words = []
        for (name, color, dash), all_of_one in zip(looks, scales, strict=True):
            table = np.array(all_of_one)
            epochs = np.arange(1, table.shape[1])
            axis.plot(epochs, table[:, :-1].T / 1000, color=color, ls=dash, lw=1.3, alpha=0.75)
            words.append(f"{name} {np.median(table[:, -1]) / 10_000:.3f}")
        axis.set(title=f"learning rate {rate}", xlabel="epoch", ylim=(-0.02, 1.03))
        axis.set_xticks([epochs[0], epochs[-1]])
        axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        said.append(f"at {rate} {' and '.join(words)}")
    first = axes[0, 0]
    first.set_ylabel("accuracy")
    first.text(1.2, 0.9, looks[1][0], color=looks[1][1])
    first.text(1.2, 0.8, f"{looks[0][0]}, dashed", color=looks[0][1])
    yield figure
    yield (
        "Accuracy over the epochs, a line for each run, with two scales and two learning rates. "
        f"On new strings the medians are: {'; '.join(said)}."
    )
