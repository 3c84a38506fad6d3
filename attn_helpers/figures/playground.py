"""The still picture that stands for the softmax playground where no script runs."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from attn_helpers.figures.style import COLORS, new_figure, picture
from attn_helpers.softmax import softmax


@picture
def with_and_without_scale(scores: Sequence[float], d: int) -> tuple[Figure, str]:
    """Draw the weights of one row of scores with β = 1 and with β = 1/√d.

    Parameters
    ----------
    scores : sequence of float
        One score a key.
    d : int
        Head dimension.
    """
    figure, axes = new_figure(1, 2, height=2.8, sharey=True)
    keys = np.arange(1, len(scores) + 1)
    rows = softmax(np.asarray(scores, dtype=float) * np.array([[1.0], [d**-0.5]]))
    titles = ("no scale, β = 1", f"β = 1/√{d}")
    for axis, weights, title, color in zip(axes, rows, titles, ("red", "blue"), strict=True):
        axis.bar(keys, weights, color=COLORS[color])
        axis.set_title(title)
        axis.set_xticks(keys)
        axis.set_xlabel("key")
        axis.grid(axis="x", visible=False)
    axes[0].set_ylabel("weight")
    axes[0].set_ylim(0, 1)
    said = (", ".join(f"{weight:.2f}" for weight in weights) for weights in rows)
    return figure, (
        f"Bar charts of the softmax weights of the scores {', '.join(f'{s:g}' for s in scores)}: "
        + ", and ".join(f"{next(said)} with {title}" for title in titles)
        + "."
    )
