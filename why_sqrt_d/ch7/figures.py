"""Figures of chapter 7: a trained model, what formulas do, heads, growth, divisors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import fill
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from attn_helpers.checks import FloatArray
from attn_helpers.models import RuleStatistics
from why_sqrt_d.ch7.real_models import KINDS
from why_sqrt_d.pictures.axes import beside, plain_ticks
from why_sqrt_d.pictures.style import COLORS, Drawn, looks, new_figure, picture

CENTRED: Any = {"ha": "center", "va": "center", "fontsize": 10, "fontweight": "bold"}
SMALL: Any = {"ha": "center", "va": "center", "fontsize": 9.5}
#: The colour of a kind of formula, the same in every figure; grey for those not named.
KIND_COLORS = {"root": "blue", "norm": "orange", "length": "green"}
SIGNS = LinearSegmentedColormap.from_list("signs", [COLORS["red"], "#f3f6fa", COLORS["blue"]])
INKS = {"blue": "white", "orange": "black", "green": "black", "grey": "white"}  # on them
ARROW: Any = {"arrowstyle": "->", "color": COLORS["grey"], "lw": 1.5}
BRACKET: Any = ARROW | {"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "shrinkA": 0, "shrinkB": 0}


@picture
def largest_weights(found: Mapping[str, RuleStatistics], keys: int) -> Drawn:
    """Draw a bar a model, from top to bottom: the largest of the typical row's `keys` weights.

    Bars begin at an even share, on a logarithmic axis.
    """
    figure, axis = new_figure(height=4.3)
    yield figure
    yield (
        f"Bars of the largest of {keys} weights in the median row, the same queries and keys "
        "under the formula of each model."
    )
    places = np.arange(len(found))[::-1]
    for place, (name, one) in zip(places, found.items(), strict=True):
        yield f"{name}: {one.top_weight:.3f}."
        color, hatch = ("red", "//") if one.top_weight > 0.5 else ("grey", None)
        bar = {"left": 1 / keys, "color": COLORS[color], "hatch": hatch, "height": 0.7}
        axis.barh(place, one.top_weight - 1 / keys, **bar)
        beside(axis, f"{one.top_weight:.3f}", (one.top_weight, place), (6, 0), va="center")
    axis.set_xscale("log")
    axis.set_yticks(places, list(found))
    plain_ticks(axis, [0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axis.set(xlim=(1 / keys, 2), xlabel=f"largest of {keys} weights")
    axis.grid(axis="y", visible=False)


@picture
def places(
    found: Mapping[str, tuple[str, float]], named: Mapping[str, str] = MappingProxyType({})
) -> Drawn:
    """Draw, a line a kind, how wide the logits of the models spread on the same scores.

    A model has its kind and its spread. A disc's area goes with the number of models at one
    place; some are `named` by what to write above. Where the initial weights hold the scale, an
    arrow leads from the formula's place to the model's start.
    """
    figure, axis = new_figure(height=5.4)
    yield figure
    yield (
        "The spread of the logits that the models' formulas make of the same standard normal "
        "queries and keys, a line a kind."
    )
    at = {name: round(np.log2(spread) * 2) / 2 for name, (_, spread) in found.items()}  # powers
    kinds = [kind for kind in KINDS if any(one == kind for one, _ in found.values())]
    axis.axvline(1, color=COLORS["grey"], lw=1.2, ls=":")
    for place, kind in enumerate(kinds):
        look_of = KIND_COLORS.get(kind, "grey")
        color, ink = COLORS[look_of], INKS[look_of]
        filled, of_kind = {"color": color}, [name for name in found if found[name][0] == kind]
        counted = Counter(at[name] for name in of_kind)
        look = {"facecolor": "white", "edgecolor": color} if kind == "folded" else filled
        for power, count in counted.items():
            axis.scatter(2**power, place, 40 + 22 * count, **look, zorder=3)
            if count > 4:
                axis.annotate(str(count), (2**power, place), color=ink, **CENTRED, zorder=4)
        if kind == "folded":
            axis.annotate("", (1.15, place), (2 ** min(counted) / 1.12, place), arrowprops=ARROW)
            axis.scatter(1, place, 40 + 22 * counted.total(), **filled, zorder=3)
        for name in named.keys() & set(of_kind):
            beside(axis, named[name], (2 ** at[name], place), (0, 12), ha="center", fontsize=10)
        told = (f"{count} at {2**power:.2g}" for power, count in sorted(counted.items()))
        yield f"{KINDS[kind]}: {', '.join(told)}."
    axis.set_xscale("log", base=2)
    axis.set_xticks([1 / 8, 1, 8], ["1/8", "1", "8"])
    axis.set_yticks(range(len(kinds)), [fill(KINDS[kind], 18) for kind in kinds])
    axis.set(xlim=(1 / 20, 32), ylim=(len(kinds) - 0.5, -0.6))
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the logits in a row")


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
def cut_into_heads(query: FloatArray, key: FloatArray, chosen: int = 2) -> Drawn:
    """Draw a query and a key (heads, d) as strips cut into heads, and the score of one head.

    A cell is the sum of neighbouring components, sixteen cells a head.
    """
    figure, axis = new_figure(height=3.3)
    heads, d = query.shape
    scores, size = (query * key).sum(axis=1), 16
    left = np.arange(heads) * 1.15
    strips = {"query": (4.0, query), "key": (2.7, key), "products": (1.0, query * key)}
    for name, (y, strip) in strips.items():
        cells = strip.reshape(heads, size, -1).sum(axis=-1)
        ink = cells / np.abs(cells).max()
        for head in range(heads):
            if name == "products" and head != chosen:
                continue
            look = {"cmap": SIGNS, "vmin": -1, "vmax": 1, "alpha": 1 if head == chosen else 0.3}
            edges = left[head] + np.arange(size + 1) / size
            axis.pcolormesh(edges, [y, y + 0.8], ink[[head]], **look, rasterized=True)
        axis.annotate(name, (-0.15, y + 0.4), ha="right", va="center")
    x = left[chosen]
    for low in (2.7, 4.0):
        axis.add_patch(Rectangle((x, low), 1, 0.8, fill=False, ec=COLORS["blue"], lw=2))
    axis.annotate("", (x + 0.5, 1.9), (x + 0.5, 2.6), arrowprops=ARROW)
    said = f"added up: one score, {scores[chosen]:.1f}".replace("-", "−")
    axis.annotate("", (x + 1.7, 1.4), (x + 1.1, 1.4), arrowprops=ARROW)
    axis.annotate(said, (x + 1.8, 1.4), va="center")
    for y, start, end, text in (
        (5.1, x, x + 1, f"one head: d = {d}"),
        (6.0, 0, left[-1] + 1, f"the model: {heads} · {d} = {heads * d}"),
    ):
        axis.annotate("", (start, y), (end, y), arrowprops=BRACKET)
        axis.annotate(text, ((start + end) / 2, y + 0.2), ha="center", va="bottom")
    axis.set(xlim=(-1.9, left[-1] + 1.1), ylim=(0.8, 6.9))
    axis.set_axis_off()
    yield figure
    yield (
        f"The query and the key of two tokens as strips of {heads * d} components, cut into "
        f"{heads} heads of {d}. Head {chosen + 1} multiplies its own {d} pairs and adds them up "
        f"to the score {scores[chosen]:.2f}; all heads' scores together would be "
        f"{scores.sum():.2f}."
    )


@picture
def growing_weights(
    growth: Sequence[float], found: Mapping[str, Sequence[RuleStatistics]]
) -> Drawn:
    """Draw the largest logit and the entropy of each rule while the scores grow."""
    figure, (upper, lower) = new_figure(2, 1, height=5.4, sharex=True)
    yield figure
    yield (
        f"The largest logit of a row, and the entropy, while the scores grow {growth[0]:.0f} to "
        f"{growth[-1]:.0f} times."
    )
    for label, series, look in looks(found, "blue grey orange green", "- -- -. :"):
        logits, entropies = zip(
            *((one.logit_max, one.entropy_share) for one in series), strict=True
        )
        upper.loglog(growth, logits, **look.both, ms=5, label=label)
        lower.semilogx(growth, entropies, **look.both, ms=5)
        yield (
            f"{label}: largest logit from {logits[0]:.1f} to {logits[-1]:.1f}, entropy from "
            f"{entropies[0]:.2f} through its least value {min(entropies):.2f} to "
            f"{entropies[-1]:.2f}."
        )
    upper.set_ylabel("largest |logit|")
    lower.set(ylabel="entropy / ln n", ylim=(0, 1.05), xlabel="the scores are multiplied by")
    plain_ticks(lower, [1, 16, 256])
    upper.minorticks_off()
    upper.legend(loc="upper left")


@picture
def wrong_divisors(found: Mapping[str, RuleStatistics], right: str, critical: float) -> Drawn:
    """Draw a row a divisor: the logits' spread from that of the `right` one, and the entropy.

    A dotted line stands at the `critical` spread.
    """
    figure, axis = new_figure(height=3.9)
    yield figure
    yield (
        "The spread of a row's logits for several divisors, and the entropy of the weights as a "
        f"share of ln n; the critical spread is {critical:.2f}."
    )
    places = np.arange(len(found))[::-1]
    middle = found[right].logit_std
    axis.axvline(critical, color=COLORS["grey"], lw=1.2, ls=":")
    for place, (name, one) in zip(places, found.items(), strict=True):
        color, marker = ("blue", "o") if name == right else ("red", "D")
        axis.plot([middle, one.logit_std], [place, place], color=COLORS[color], lw=2)
        axis.plot(one.logit_std, place, marker, color=COLORS[color], ms=8)
        entropy = f"{one.entropy_share:.2f}"
        axis.annotate(entropy, (1.02, place), xycoords=("axes fraction", "data"), va="center")
        yield f"{name}: spread {one.logit_std:.2f}, entropy {entropy}."
    axis.annotate("entropy", (1.02, len(found) - 0.35), xycoords=("axes fraction", "data"))
    axis.set_xscale("log")
    axis.set_yticks(places, list(found))
    axis.set_ylim(-0.6, len(found) - 0.4)
    plain_ticks(axis, [0.125, 1, 8], ["1/8", "1", "8"])
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("spread of the logits in a row")


@picture
def trained_model(
    losses: Mapping[str, tuple[Sequence[float], FloatArray]], spreads: FloatArray
) -> Drawn:
    """Draw losses against the multiplier of the trained scale, and each head's mean spread.

    `losses` are multipliers and mean losses by text; `spreads` (layers, heads).
    """
    figure, (bowl, heads) = new_figure(2, 1, height=5.4)
    yield figure
    yield (
        "The loss of a trained model against the multiplier of its scale, on two kinds of stories."
    )
    for text, (multipliers, values), look in looks(losses, "blue grey", "- --"):
        bowl.plot(multipliers, values, **look.both, ms=5, label=text)
        told = (f"{m:.2g}: {loss:.2f}" for m, loss in zip(multipliers, values, strict=True))
        yield f"{text}: {', '.join(told)}."
    bowl.set_xscale("log", base=2)
    plain_ticks(bowl, [0.25, 1, 8**0.5, 8], ["1/4", "1", "√8", "8"])
    bowl.set(xlabel="the scale is multiplied by", ylabel="loss (nats a token)")
    bowl.legend(title="stories", alignment="left")
    layers = np.arange(1, len(spreads) + 1)
    heads.axhline(1, color=COLORS["grey"], lw=1.2, ls=":")
    heads.plot(layers, spreads, "o", color=COLORS["blue"], alpha=0.75, ms=7, mec="white")
    heads.set_yscale("log")
    heads.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    heads.minorticks_off()
    heads.set(xticks=layers, xlim=(0.5, len(spreads) + 0.5), ylim=(0.8, 30))
    heads.set(xlabel="layer", ylabel="spread of the logits")
    told = (f"{i}: {row.min():.1f} to {row.max():.1f}" for i, row in enumerate(spreads, 1))
    yield f"Below it the spread of each head's rows, by layer: {'; '.join(told)}."


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
            written = f"{value:{form}}".replace("-", "−")
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
def intervals(
    panels: Mapping[str, tuple[Sequence[tuple[float, float, float]], float]], rows: str
) -> Drawn:
    """Draw values with their intervals, a panel beside the other, counted from one downwards.

    A panel's title has a value, a low and a high end for each row, and where a line stands.
    """
    figure, axes = new_figure(1, len(panels), height=2.5, sharey=True)
    yield figure
    yield f"Values with intervals, {rows} by {rows}."
    for axis, (title, (found, line)) in zip(axes, panels.items(), strict=True):
        middle, low, high = np.array(found).T
        places = np.arange(1, len(found) + 1)
        axis.axvline(line, color=COLORS["grey"], lw=1.2, ls=":")
        axis.hlines(places, low, high, color=COLORS["blue"], lw=2)
        axis.plot(middle, places, "o", color=COLORS["blue"])
        axis.set(title=title, ylim=(len(found) + 0.5, 0.5), yticks=places)
        told = (f"{a:.2f} ({b:.2f} to {c:.2f})" for a, b, c in found)
        yield f"{title}: {', '.join(told)}."
    axes[0].set_ylabel(rows)
