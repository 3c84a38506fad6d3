"""Figures of chapter 3 that move: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.ch3.figures import draw_phases
from why_sqrt_d.pictures.axes import beside
from why_sqrt_d.pictures.rows import ranked_weights, typical_row, weight_axis
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, short_count, thousands


@picture
def place_on_the_map(
    maps: tuple[FloatArray, FloatArray, FloatArray],
    place: tuple[int, int],
    weights: FloatArray,
) -> tuple[Figure, str]:
    """Draw a place on the map of the largest weight over d and n, and a typical row there.

    `maps` is what `phase_map` takes, `place` a d and an n; `weights` (rows, n) are drawn there.
    """
    d, n = place
    row = np.sort(typical_row(weights))[::-1]
    figure, (upper, lower) = new_figure(2, 1, height=5.6, height_ratios=(3, 2))
    draw_phases(upper, *maps, every=4)
    upper.text(9.5, 2.1, "frozen", ha="center")
    upper.text(0.6, 12.6, "shared", ha="center", color="white")
    upper.set_ylabel("keys n")
    upper.plot(np.log2(d), np.log2(n), "o", ms=13, mfc="white", mec="black", mew=2.5)
    side = "frozen side" if d > 2 * np.log(n) else "shared side"
    upper.set_title(f"d = {d}, n = {thousands(n)}: {side}")
    effective = short_count(float(1 / np.sum(row**2)))
    ranked_weights(lower, row)
    lower.set_title(f"Largest weight {row[0]:.2g}; {effective} effective keys")
    return figure, (
        f"Map of the median largest weight over d and n with the line √d = √(2 ln n), and a mark "
        f"at d = {d}, n = {n}, on the {side}. Below, a typical row there: the largest of its {n} "
        f"weights is {row[0]:.2g}, the five largest together have {row[:5].sum():.2g}, and the "
        f"effective number of keys is {effective}."
    )


@picture
def margins_and_sizes(
    few: FloatArray, crowd: int, shift: float, weights: FloatArray
) -> tuple[Figure, str]:
    """Draw the logits of a few keys and a crowd on a line, and below it their weights.

    `few` (m,) are the logits without the shift, from the largest to zero, where the crowd is;
    the last of the `weights` (m + 1,) is what the crowd has together.
    """
    figure, (upper, lower) = new_figure(2, 1, height=4.6, height_ratios=(2, 3))
    colors = [COLORS["red"]] + [COLORS["blue"]] * (few.size - 1)
    upper.scatter(few, np.zeros(few.size), s=110, c=colors, zorder=3, clip_on=False)
    for key, logit in enumerate(few, start=1):
        beside(upper, str(key), (logit, 0), (0, 10), ha="center", color="black")
    if crowd:
        beside(upper, f"{crowd} more here", (0, 0), (0, -20), ha="left")
    upper.set(xlim=(-0.6, 12.6), ylim=(-1, 1), yticks=[], xlabel="logit")
    upper.spines["left"].set_visible(False)
    ticks = range(0, 13, 2)
    upper.set_xticks(ticks, [_whole(tick + shift) for tick in ticks])
    margin = few[0] - few[1]
    upper.set_title(f"Largest logit {_whole(few[0] + shift)}, margin {margin:g}")
    lower.bar(range(few.size), weights[:-1], 0.7, color=colors)
    lower.bar(few.size, weights[-1], 0.7, color="#B0B0B0", ec="black", hatch="//")
    names = [f"key {key}" for key in range(1, few.size + 1)]
    lower.set_xticks(range(few.size + 1), [*names, f"{crowd} more" if crowd else ""])
    weight_axis(lower)
    lower.set(ylabel="weight", title=f"Largest weight {weights[0]:.3g}")
    said = ", ".join(_whole(logit + shift) for logit in few)
    return figure, (
        f"Above, the logits {said} on a line"
        + (f" and {crowd} more keys with {_whole(shift)}" if crowd else "")
        + f"; the margin is {margin:g}. Below, the weights: "
        + ", ".join(f"{weight:.3f}" for weight in weights[:-1])
        + (f", and the {crowd} more together {weights[-1]:.3f}." if crowd else ".")
    )


def _whole(value: float) -> str:
    return f"{value:g}".replace("-", "−")
