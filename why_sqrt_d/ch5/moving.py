"""Figures of chapter 5 that move: one function draws one frame, on axes that stay."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from attn_helpers.weights import effective_keys, entropy
from why_sqrt_d.pictures.axes import plain_ticks
from why_sqrt_d.pictures.rows import weight_axis
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, short_count


@picture
def row_at_temperature(
    words: Sequence[str],
    query: int,
    row: FloatArray,
    curve: tuple[FloatArray, FloatArray],
    tau: float,
) -> tuple[Figure, str]:
    """Draw a row of weights over words, and where it stands on its curve of entropies.

    The `query`-th word asks and gives the weights `row` (n,); `curve` is temperatures, in units
    of √d as `tau` is, and the row's entropy at each.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.8, height_ratios=(3, 2))
    colors = [COLORS["red" if key == query else "blue"] for key in range(len(words))]
    upper.bar(range(len(words)), row, 0.75, color=colors)
    upper.set_xticks(range(len(words)), words, rotation=35, ha="right", rotation_mode="anchor")
    weight_axis(upper)
    upper.set(ylabel="weight", title=f"“{words[query]}” asks at τ = {tau:g} √d")
    here = float(entropy(row))
    lower.semilogx(*curve, color=COLORS["blue"])
    lower.plot(tau, here, "o", ms=11, mfc=COLORS["orange"], mec="black")
    lower.axhline(np.log(len(words)), color="black", lw=1.2, ls=":")
    lower.text(curve[0][0], np.log(len(words)) + 0.06, f"ln {len(words)}: all alike", fontsize=11)
    lower.set(xlim=(curve[0][0] * 0.9, curve[0][-1] * 1.1), ylim=(0, np.log(len(words)) + 0.5))
    ticks = [0.125, 0.25, 0.5, 1, 2, 4, 8]
    plain_ticks(lower, ticks, ["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    lower.set(xlabel="temperature τ, in units of √d", ylabel="entropy")
    order = np.argsort(row)[::-1][:3]
    return figure, (
        f"Weights that the word {words[query]} gives to {len(words)} words at τ = {tau:g} √d; the "
        "three largest: "
        + ", ".join(f"{words[key]} {row[key]:.2f}" for key in order)
        + f". Below, the entropy against the temperature; here it is {here:.2f} of at most "
        f"{np.log(len(words)):.2f}."
    )


@picture
def needle_and_hay(
    others: FloatArray, needle: float, limits: tuple[float, float], title: str
) -> tuple[Figure, str]:
    """Draw the logits of one row, the needle marked, and below it how the weight is shared.

    `others` (n,) are the logits of the other keys; `limits` the ends of the axis of logits.
    """
    terms = np.exp(others - needle)
    total = 1 + terms.sum()
    weight, best = 1 / total, terms.max() / total
    figure, (upper, lower) = new_figure(2, 1, height=4.8, height_ratios=(4, 1))
    upper.hist(others, np.linspace(*limits, 80), color=COLORS["blue"], label="other keys")
    upper.plot([needle, needle], [0.5, 10], color=COLORS["red"], lw=3)
    upper.plot(needle, 10, "D", color=COLORS["red"], ms=9, label="needle")
    upper.set(yscale="log", ylim=(0.5, 1e6))
    upper.set_yticks([1, 100, 10000], ["1", "100", "10\u202f000"])
    upper.minorticks_off()
    upper.set(xlim=limits, xlabel="logit", ylabel="keys in a bar")
    upper.set_title(f"{title}\nweight of the needle: {_weight(weight)}")
    upper.legend(loc="upper left")
    parts = ((weight, "red", "//", "needle"), (best, "orange", "..", "best other"))
    start = 0.0
    for width, color, hatch, name in parts:
        lower.barh(0, width, left=start, color=COLORS[color], hatch=hatch, ec="white", label=name)
        start += width
    lower.barh(0, 1 - start, left=start, color=COLORS["blue"], label="all the rest")
    lower.set(xlim=(0, 1), yticks=[], xlabel="share of the weight")
    lower.grid(visible=False)
    figure.legend(*lower.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    count = float(effective_keys(np.append(terms, 1.0) / total))
    return figure, (
        f"{title}. Histogram of the logits of {others.size} other keys, the largest at "
        f"{others.max():.1f}, and the needle at {needle:.1f}. The needle has {_weight(weight)} of "
        f"the weight, the best other key {_weight(best)}, all the rest "
        f"{_weight(max(0.0, 1 - weight - best))}; effective keys {short_count(count)}."
    )


def _weight(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.1g}"
