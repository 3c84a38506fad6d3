"""The still pictures of chapter 3's live figures."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers import softmax
from attn_helpers._checks import FloatArray
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
    """Draw the weights (n,) of one row, heaviest first: divided as bars, else an outline."""
    plain, even = (np.sort(weights)[::-1] for weights in (undivided, divided))
    places = np.arange(1, plain.size + 1)
    figure, axis = new_figure(height=3.2)
    colors = [COLORS["red"]] + [COLORS["blue"]] * (plain.size - 1)
    axis.bar(places, even, 0.76, color=colors, alpha=0.6)
    axis.bar(places, plain, 0.76, facecolor="none", edgecolor="black", lw=1.1)
    beside(axis, f"outline: undivided, {plain[0]:.2f}", (1.5, plain[0]), (4, 0), va="top")
    how = {"color": COLORS["red"], "fontweight": "bold"}
    beside(axis, f"divided, {even[0]:.2f}", (4, even[3]), (0, 8), **how)
    axis.set(yscale="log", ylim=(1e-4, 1.6), xlim=(0.4, plain.size + 0.6), xticks=[])
    axis.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    axis.minorticks_off()
    axis.set(xlabel="keys of one row, the heaviest first", ylabel="weight")
    return figure, (
        f"The weights of a row of {plain.size} keys, the heaviest first, on a logarithmic axis. "
        f"Undivided the largest are {plain[0]:.2f} and {plain[1]:.3f}, divided {even[0]:.2f} and "
        f"{even[1]:.3f}."
    )
