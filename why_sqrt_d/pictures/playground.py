"""The still picture that stands for the softmax playground where no script runs."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from attn_helpers.weights import softmax
from why_sqrt_d.embedding import json_script
from why_sqrt_d.pictures.style import COLORS, Picture, new_figure, picture


@picture
def with_and_without_scale(scores: Sequence[float], d: int) -> tuple[Figure, str]:
    """Draw the weights of one row of scores with β = 1 and with β = 1/√d."""
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


_FIVE = [9.2, -3.1, 8.8, -5.4, 1.2]


def _state(scores: list[float], scale: str, d: int = 64) -> dict[str, Any]:
    return {"scores": scores, "d": d, "scale": scale}


# A and C are the course's sources: book/claims.md.
PRESETS: list[dict[str, Any]] = [
    {
        "name": "Source C: five scores, no scale",
        "state": _state(_FIVE, "none"),
        "note": "The source prints 0.599, 0.000, 0.401, 0.000, 0.000.",
    },
    {
        "name": "Source C: the five scores over √64",
        "state": _state(_FIVE, "sqrt"),
        "note": "The source prints 0.31, 0.07, 0.30, 0.05, 0.12, which does not sum to one.",
    },
    {
        "name": "Source C: 8.5, −2.1, 7.9",
        "state": _state([8.5, -2.1, 7.9], "none"),
        "note": "The source prints 0.99, 0.00, 0.01 (and dots after the third score).",
    },
    {
        "name": "Source A: 14 and 10, no scale",
        "state": _state([14, 10], "none", d=4),
        "note": "The source prints 0.982, 0.018.",
    },
    {
        "name": "Source A: 7 and 5, that is 14 and 10 over √4",
        "state": _state([14, 10], "sqrt", d=4),
        "note": "The source prints 0.880, 0.120.",
    },
    {
        "name": "One score against seven zeros",
        "state": _state([5, 0, 0, 0, 0, 0, 0, 0], "none"),
        "note": "The first weight is e⁵/(e⁵ + 7). Drag its score, or take keys away.",
    },
    {
        "name": "Eight scores as random vectors give them",
        "state": _state([12.3, 7.1, 3.9, 1.3, -1.3, -3.9, -7.1, -12.3], "none"),
        "note": "Mid-quantiles of N(0, 64). Turn d: without a scale the row saturates.",
    },
]


def preset_number(name: str) -> int:
    """Return the place of a preset in the list."""
    names = [preset["name"] for preset in PRESETS]
    if name not in names:
        raise ValueError(f"no preset is called {name!r}; there are {names}")
    return names.index(name)


def still(start: int = 0) -> Picture:
    """Return the picture of a preset's scores, with and without the scale."""
    state = PRESETS[start]["state"]
    return with_and_without_scale(state["scores"], state["d"])


def render_playground(
    address: str, alternative: str, size: tuple[int, int], start: int = 0
) -> str:
    """Return the playground as HTML, preset `start` first.

    `address` and `size` (CSS pixels) are the still picture's, `alternative` says what it shows.
    """
    keys = len(PRESETS[start]["state"]["scores"])
    return (
        '<softmax-playground class="playground" data-lm-suppress-shortcuts="true" '
        f'style="--keys: {keys}">'
        f"{json_script({'presets': PRESETS, 'start': start})}"
        f'<div class="playground-still"><div class="cell_output"><img src="{escape(address)}" '
        f'alt="{escape(alternative)}" width="{size[0]}" height="{size[1]}" loading="lazy"></div>'
        "<noscript><p>With JavaScript you can drag these scores, turn d and β, and watch the "
        "weights, their entropy and the Jacobian.</p></noscript></div></softmax-playground>"
    )
