"""The still picture of the first page's live figure."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from attn_helpers.sampling import gaussian_score_pdf
from why_sqrt_d.pictures.axes import key_bars
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def sampler(scores: FloatArray, row: FloatArray, d: int) -> tuple[Figure, str]:
    """Draw the histogram of scores (rows,) with its exact density, and the weights of one row.

    The scores are of queries and keys with `d` standard normal components; `row` (n,) holds the
    scores of one query.
    """
    figure, (left, right) = new_figure(1, 2, height=2.8, width_ratios=(1.25, 1))
    end = 3.6 * np.sqrt(d)
    left.hist(scores, np.linspace(-end, end, 42), density=True, color=COLORS["blue"], alpha=0.7)
    x = np.linspace(-end, end, 301)
    left.plot(x, gaussian_score_pdf(x, d), color=COLORS["red"])
    left.set(xlabel="score q·k", yticks=[], title=f"{scores.size} scores at d = {d}")
    weights = softmax(row)
    key_bars(right, weights)
    right.set(xticks=np.arange(1, row.size + 1), xlabel="key", title="One row of weights")
    return figure, (
        f"A histogram of {scores.size} scores at d = {d} with the exact density over it; their "
        f"standard deviation is {scores.std():.1f}. Beside it the softmax weights of one query "
        f"over {row.size} keys: the largest is {weights.max():.2f}."
    )
