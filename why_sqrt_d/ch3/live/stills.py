"""The still pictures of chapter 3's live figures."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.axes import beside
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def weights_beside_a_crowd(logits: FloatArray, crowd: int) -> tuple[Figure, str]:
    """Draw the weights of a few keys (m,) alone, and with a `crowd` of further keys at zero."""
    alone = softmax(logits)
    together = softmax(np.concatenate([logits, np.zeros(crowd)]))
    bars = [
        (np.append(alone, 0.0), "alone"),
        (np.append(together[: logits.size], together[logits.size :].sum()), f"{crowd} more at 0"),
    ]
    figure, axes = new_figure(1, 2, height=2.8, sharey=True)
    names = [f"{logit:g}" for logit in logits] + ["more"]
    colors = [COLORS["red"]] + [COLORS["blue"]] * (logits.size - 1) + [COLORS["grey"]]
    for axis, (heights, title) in zip(axes, bars, strict=True):
        axis.bar(range(heights.size), heights, color=colors)
        axis.set(title=title, ylim=(0, 1), xlabel="logit")
        axis.set_xticks(range(heights.size), names)
        axis.grid(visible=False)
    axes[0].set_ylabel("weight")
    margin = np.sort(logits)[-1] - np.sort(logits)[-2]
    said = ", ".join(f"{logit:g}" for logit in logits)
    return figure, (
        f"Softmax weights of the logits {said}, whose margin is {margin:g}. Alone the largest "
        f"weight is {alone.max():.2f}; with {crowd} more keys at logit 0 it is "
        f"{together.max():.2f}, and these share {bars[1][0][-1]:.2f}."
    )


@picture
def heaviest_keys(undivided: FloatArray, divided: FloatArray) -> tuple[Figure, str]:
    """Draw the weights (n,) of one row as two strips, heaviest first: undivided and divided."""
    figure, axis = new_figure(height=2.6)
    spoken = []
    for place, (name, weights) in enumerate((("undivided", undivided), ("divided", divided))):
        sizes = 100 * np.sort(weights)[::-1]
        colors = [COLORS["red"]] + [COLORS["blue"]] * (sizes.size - 1)
        edges = {"ec": "white", "lw": 0.8}
        axis.barh(place, sizes, 0.5, np.cumsum(sizes) - sizes, color=colors, **edges)
        how = {"color": COLORS["red"], "fontweight": "bold"}
        beside(axis, f"{name}: the top key has {sizes[0]:.0f} %", (0, place - 0.25), (0, 5), **how)
        spoken.append(f"{name} the largest are {sizes[0]:.0f} and {sizes[1]:.1f} per cent")
    axis.set(xlim=(0, 100), ylim=(1.35, -0.6), xticks=[0, 50, 100], yticks=[])
    axis.set(xlabel=f"% of the weight of {undivided.size} keys, the heaviest first")
    axis.grid(visible=False)
    return figure, (
        f"The weights of a row of {undivided.size} keys as parts of a strip, the heaviest first: "
        f"{', '.join(spoken)}."
    )
