"""The still pictures of chapter 3's live figures."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from attn_helpers import softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.pictures.axes import beside
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, short_count, thousands


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
def keys_that_count(n: Sequence[int], medians: Mapping[int, FloatArray]) -> tuple[Figure, str]:
    """Draw the median effective keys (sizes,) against the number of keys, a line for each d."""
    figure, axis = new_figure(height=3.4)
    axis.loglog(n, n, ls="--", color=COLORS["grey"], lw=1)
    for d, line in medians.items():
        axis.loglog(n, line, color=COLORS["red" if d == 1 else "blue"], lw=3 if d == 1 else 1.5)
        name = "divided by √d" if d == 1 else f"d = {d}"
        if d <= 64:
            beside(axis, name, (n[-1], line[-1]), (4, 0), va="center")
    axis.set(xlabel="keys n", ylabel="effective keys", xlim=(n[0], n[-1] * 9), ylim=(0.8, n[-1]))
    axis.set_xticks([16, 256, 4096], ["16", "256", "4096"])
    axis.set_yticks([1, 16, 256, 4096], ["1", "16", "256", "4096"])
    axis.minorticks_off()
    ends = ", ".join(
        f"{short_count(line[-1])} {'after dividing by √d' if d == 1 else f'for d = {d}'}"
        for d, line in medians.items()
    )
    return figure, (
        f"The effective number of keys in a typical row against the number of keys from {n[0]} to "
        f"{thousands(n[-1])}, on logarithmic axes. At the end it is {ends}."
    )
