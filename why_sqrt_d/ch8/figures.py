"""Figures of chapter 8: a trained model, what formulas do, growth, divisors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import fill
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.ch8.real_models import KINDS
from why_sqrt_d.digits import true_minus
from why_sqrt_d.intervals import Interval
from why_sqrt_d.pictures.axes import beside, bold, plain_ticks
from why_sqrt_d.pictures.style import COLORS, Drawn, looks, new_figure, picture

CENTRED: Any = {"ha": "center", "va": "center", "fontsize": 10, "fontweight": "bold"}
SMALL: Any = {"ha": "center", "va": "center", "fontsize": 9.5}
#: The colour of a kind of formula, the same in every figure; grey for those not named.
KIND_COLORS = {"root": "blue", "norm": "orange", "length": "green"}
SIGNS = LinearSegmentedColormap.from_list("signs", [COLORS["red"], "#f3f6fa", COLORS["blue"]])
INKS = {"blue": "white", "orange": "black", "green": "black", "grey": "white"}  # on them


@picture
def one_row(rows: Mapping[str, FloatArray], words: Sequence[str]) -> Drawn:
    """Draw the ten best of sorted logits, and below each row's softmax weights as one whole.

    `words` are those of the first row's largest weights.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.2, height_ratios=(2, 1))
    yield figure
    yield "The ten best logits of rows, less the best, and the rows' softmax weights."
    for place, (name, logits, look) in enumerate(looks(rows, "blue grey", markers="o s")):
        weights, left = softmax(logits), 0.0
        upper.plot(np.arange(10) + 1, logits[:10] - logits[0], **look.both, ms=5)
        for rank, weight in enumerate(weights):
            shade = {"color": look.color, "alpha": max(0.2, 1 - 0.25 * rank), "ec": "white"}
            lower.barh(place, weight, left=left, height=0.8, **shade)
            if place == 0 and rank < len(words):
                at = {"color": "white" if rank < 2 else "black"} | SMALL
                lower.annotate(words[rank], (left + weight / 2, place), **at)
            left += weight
        largest = ", ".join(f"{weight:.2f}" for weight in weights[:4])
        yield f"{name}: {len(logits)} keys, spread {logits.std():.1f}, largest weights {largest}."
    yield f"The first row's largest are at {', '.join(words)}."
    upper.set(xticks=range(1, 11), xlabel="keys, the largest logit first")
    upper.set_ylabel("logit less the best")
    upper.legend(list(rows), loc="upper right")
    lower.set(yticks=range(len(rows)), xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
    lower.set_yticklabels(list(rows))
    lower.grid(visible=False)
    lower.set_xlabel("shares of the weight")


@picture
def growing_weights(growth: Sequence[float], shares: Mapping[str, Sequence[float]]) -> Drawn:
    """Draw, for each rule, the entropy of the weights over ln n while the scores grow."""
    figure, axis = new_figure(height=3.0)
    yield figure
    yield f"The entropy of a row while the scores grow {growth[0]:.0f} to {growth[-1]:.0f} times."
    for label, share, look in looks(shares, "blue grey orange", "- -- -."):
        axis.semilogx(growth, share, **look.both, ms=5, label=label)
        yield (
            f"{label}: from {share[0]:.2f} through its least value {min(share):.2f} to "
            f"{share[-1]:.2f}."
        )
    axis.set(ylabel="entropy / ln n", ylim=(0, 1.05), xlabel="the scores are multiplied by")
    plain_ticks(axis, [1, 4, 16, 64, 256])
    axis.legend(loc="center", bbox_to_anchor=(0.47, 0.62))


@picture
def places(
    models: Mapping[str, tuple[str, float]], named: Mapping[str, str] = MappingProxyType({})
) -> Drawn:
    """Draw, a line a kind, how wide the first logits of the models spread.

    A model has its kind and its spread. A disc's area goes with the number of models at one
    place; some are `named` by what to write above.
    """
    figure, axis = new_figure(height=3.9)
    yield figure
    yield "The spread of the models' first logits, with their own initial weights, a line a kind."
    at = {name: round(np.log2(spread) * 2) / 2 for name, (_, spread) in models.items()}  # powers
    kinds = [kind for kind in KINDS if any(kind == its for its, _ in models.values())]
    axis.axvline(1, color=COLORS["grey"], lw=1.2, ls=":")
    for place, kind in enumerate(kinds):
        look_of = KIND_COLORS.get(kind, "grey")
        of_kind = [name for name in models if models[name][0] == kind]
        counted = Counter(at[name] for name in of_kind)
        for power, count in counted.items():
            axis.scatter(2**power, place, 40 + 22 * count, color=COLORS[look_of], zorder=3)
            if count > 4:
                ink = INKS[look_of]
                axis.annotate(str(count), (2**power, place), color=ink, **CENTRED, zorder=4)
        for name in named.keys() & set(of_kind):
            beside(axis, named[name], (2 ** at[name], place), (0, 12), ha="center", fontsize=10)
        told = (f"{count} at {2**power:.2g}" for power, count in sorted(counted.items()))
        yield f"{KINDS[kind]}: {', '.join(told)}."
    axis.set_xscale("log", base=2)
    plain_ticks(axis, [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16], ["1/8", "1/4", "1/2", *"1248", "16"])
    axis.set_yticks(range(len(kinds)), [fill(KINDS[kind], 18) for kind in kinds])
    axis.set(xlim=(1 / 12, 32), ylim=(len(kinds) - 0.5, -0.6))
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the first logits in a row")


@picture
def width_transfer(
    d: Sequence[int], panels: Mapping[str, Mapping[str, tuple[FloatArray, FloatArray]]]
) -> Drawn:
    """Draw, a panel a rule, how parts of a logit, measured and predicted (len(d),), go with d."""
    figure, axes = new_figure(1, len(panels), height=3.9, sharey=True)
    yield figure
    yield (
        f"Two parts of a logit against the head dimension from {d[0]} to {d[-1]}, points measured "
        "on predicted lines."
    )
    for axis, (rule, curves) in zip(axes, panels.items(), strict=True):
        for label, (measured, predicted), look in looks(curves, "grey red", "- --"):
            axis.loglog(d, predicted, **look.line)
            axis.loglog(d, measured, **look.points, label=label)
            yield f"{rule}, {label}: from {measured[0]:.2f} to {measured[-1]:.2f}."
        plain_ticks(axis, [d[0], d[len(d) // 2], d[-1]])
        axis.set(title=rule, xlabel="head dimension d")
    axes[0].set_ylabel("part of the logit")
    axes[0].legend(loc="upper left", handlelength=1)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low, high * 4)


@picture
def wrong_divisors(given: Mapping[str, tuple[float, float]], right: str, critical: float) -> Drawn:
    """Draw a row a divisor: the logits' spread from that of the `right` one, and the entropy.

    `given` has the spread, and the entropy over ln n. A dotted line stands at the `critical`
    spread.
    """
    figure, axis = new_figure(height=3.9)
    yield figure
    yield (
        "The spread of a row's logits for several divisors, and the entropy of the weights as a "
        f"share of ln n; the critical spread is {critical:.2f}."
    )
    places = np.arange(len(given))[::-1]
    middle, _ = given[right]
    axis.axvline(critical, color=COLORS["grey"], lw=1.2, ls=":")
    for place, (name, (spread, share)) in zip(places, given.items(), strict=True):
        color, marker = ("blue", "o") if name == right else ("red", "D")
        axis.plot([middle, spread], [place, place], color=COLORS[color], lw=2)
        axis.plot(spread, place, marker, color=COLORS[color], ms=8)
        entropy = f"{share:.2f}"
        axis.annotate(entropy, (1.02, place), xycoords=("axes fraction", "data"), va="center")
        yield f"{name}: spread {spread:.2f}, entropy {entropy}."
    axis.annotate("entropy", (1.02, len(given) - 0.35), xycoords=("axes fraction", "data"))
    axis.set_xscale("log")
    axis.set_yticks(places, list(given))
    axis.set_ylim(-0.6, len(given) - 0.4)
    plain_ticks(axis, [0.125, 1, 8], ["1/8", "1", "8"])
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the logits in a row")


@picture
def heads(panels: Mapping[str, tuple[FloatArray, str, int]]) -> Drawn:
    """Draw, one below the other, a number and a shade for each head; layers are rows.

    A panel's title has values (layers, heads), how they are written, such as ".1f", and whether
    the largest (1) or the smallest (-1) are dark; negative ones are red. Shades go with ranks, so
    that one large value does not make the others pale.
    """
    figure, axes = new_figure(len(panels), 1, height=1.75 * len(panels), sharex=True)
    yield figure
    yield "Four numbers for each head, layer by layer."
    for axis, (title, (values, form, order)) in zip(axes, panels.items(), strict=True):
        ranks = (order * np.abs(values)).ravel().argsort().argsort().reshape(values.shape)
        shades = ranks / (values.size - 1)
        look = {"cmap": SIGNS, "vmin": -1, "vmax": 1, "edgecolors": "white", "lw": 1.5}
        axis.pcolormesh(shades * np.where(values < 0, -1, 1), **look)
        for (layer, head), value in np.ndenumerate(values):
            ink = "white" if shades[layer, head] > 0.8 else "black"
            written = true_minus(f"{value:{form}}")
            axis.annotate(written, (head + 0.5, layer + 0.5), color=ink, **SMALL)
        lines = (" ".join(f"{value:{form}}" for value in row) for row in values)
        yield f"{title}: {'; '.join(lines)}."
        count = np.arange(len(values))
        axis.set_yticks(count + 0.5, count + 1)
        axis.set(title=title, ylabel="layer", ylim=(len(values), 0))
        axis.grid(visible=False)
    count = np.arange(values.shape[1])
    axes[-1].set_xticks(count + 0.5, count + 1)
    axes[-1].set_xlabel("head")


@picture
def intervals(panels: Mapping[str, tuple[Sequence[Interval], float]], rows: str) -> Drawn:
    """Draw values with their intervals, a panel beside the other, counted from one downwards.

    A panel's title has an interval for each row, and where a line stands.
    """
    figure, axes = new_figure(1, len(panels), height=2.5, sharey=True)
    yield figure
    yield f"Values with intervals, {rows} by {rows}."
    for axis, (title, (values, line)) in zip(axes, panels.items(), strict=True):
        middle, low, high = np.array(values).T
        places = np.arange(1, len(values) + 1)
        axis.axvline(line, color=COLORS["grey"], lw=1.2, ls=":")
        axis.hlines(places, low, high, color=COLORS["blue"], lw=2)
        axis.plot(middle, places, "o", color=COLORS["blue"])
        axis.set(title=title, ylim=(len(values) + 0.5, 0.5), yticks=places)
        told = (interval.text(".2f") for interval in values)
        yield f"{title}: {', '.join(told)}."
    axes[0].set_ylabel(rows)


@picture
def spreads_of_heads(models: Mapping[str, tuple[FloatArray, float]]) -> Drawn:
    """Draw a row a model: the spread of each of its heads, their median, and that of its start.

    A title has the spreads (heads,) and the start's, nan if it is not known.
    """
    figure, axis = new_figure(height=0.62 * len(models) + 0.9)
    yield figure
    yield "The spread of the logits in the typical row of each head, a line a model."
    axis.axvline(1, color=COLORS["grey"], lw=1.2, ls=":")
    for place, (title, (spreads, start)) in enumerate(models.items()):
        # Up and down by multiples of the golden ratio, so that equal heads do not hide each other.
        away = 0.6 * (np.arange(spreads.size) * 0.618 % 1 - 0.5)
        axis.plot(np.sort(spreads), place + away, "o", color=COLORS["blue"], ms=3, alpha=0.5)
        middle, low, high = np.quantile(spreads, [0.5, 0.05, 0.95])
        axis.plot([middle] * 2, [place - 0.38, place + 0.38], color=COLORS["red"], lw=3)
        if np.isfinite(start):
            axis.plot(start, place, "D", color="white", mec=COLORS["grey"], mew=1.6, ms=7)
        began = f", at its start {start:.2g}" if np.isfinite(start) else ""
        yield f"{title}: median {middle:.1f}, from {low:.1f} to {high:.1f}{began}."
    axis.set_xscale("log")
    axis.set(ylim=(len(models) - 0.5, -0.5), xlabel="spread of the logits in a row")
    axis.set_yticks(range(len(models)), [title.replace(", ", "\n") for title in models])
    ticks = [0.03, 0.1, 0.3, 1, 3, 10, 30]
    plain_ticks(axis, ticks, [f"{tick:g}" for tick in ticks])
    axis.grid(axis="y", visible=False)


@picture
def loss_by_multiplier(
    models: Mapping[str, tuple[FloatArray, FloatArray]], sides: Mapping[str, str]
) -> Drawn:
    """Draw, a line a model, how far its loss lies above its lowest, against the multiplier m.

    A title has rising multipliers (k,), zero first and √d last, and losses above the best (k,).
    Zero stands to the left, apart; √d is a star, with its title to the right. `sides` has titles
    that would cover others, and where they are instead: at the "bottom" or "left" of the star,
    or at the left above ("top") or below it ("low").
    """
    figure, axis = new_figure(height=4.6)
    yield figure
    yield "By how many nats the loss lies above its lowest against the multiplier of all logits."
    axis.axvline(1, color=COLORS["grey"], lw=1.2, ls=":")
    styles = looks(
        models, "blue red green purple orange grey", "- -- -. : - -- :", "o s ^ D v P X"
    )
    for title, (multipliers, above), look in styles:
        axis.plot(multipliers[1:], above[1:], **look.line)
        axis.plot(multipliers[1:-1], above[1:-1], **look.points, ms=3.5)
        axis.plot(multipliers[-1], above[-1], "*", color=look.color, ms=13, mec="white", mew=0.6)
        axis.plot(1 / 7, above[0], **look.points, ms=6)
        side = sides.get(title, "right")
        put: dict[str, Any] = {"ha": "right" if side in ("left", "low", "top") else "left"}
        places = {"top": (-8, 6), "bottom": (9, -4), "left": (-9, 0), "low": (2, -9)}
        away = places.get(side, (9, 0))
        put["va"] = {"top": "bottom", "bottom": "top", "low": "top"}.get(side, "center")
        bold(axis, title, (multipliers[-1], above[-1]), away, look.color, **put)
        yield (
            f"{title}: at 0 {above[0]:.2f}, at 1 {above[np.isclose(multipliers, 1)][0]:.2f}, at "
            f"√d = {multipliers[-1]:.1f} {above[-1]:.2f}."
        )
    axis.set_xscale("log", base=2)
    plain_ticks(axis, [1 / 7, 0.25, 0.5, 1, 2, 4, 8, 16], ["0", "1/4", "1/2", *"1248", "16"])
    axis.set(xlim=(1 / 8, 40), xlabel="m, by which all logits are multiplied")
    axis.set_ylim(bottom=-0.09 * max(above.max() for _, above in models.values()))
    axis.set_ylabel("loss above its lowest, nats")
