"""The still picture of the first page's live figure."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers.laws import Gaussian
from attn_helpers.sampling import gaussian_score_pdf, simulate_rows, simulate_scores
from attn_helpers.weights import softmax
from why_sqrt_d.pictures.rows import typical_row
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def scores_and_weights(d: int = 64, n: int = 10) -> tuple[Figure, str]:
    """Draw 2 000 scores under their exact density, and a typical row's weights over `n` keys."""
    rng = np.random.default_rng(1)
    scores = simulate_scores(Gaussian(), d, 2000, rng)
    row = typical_row(softmax(simulate_rows(Gaussian(), d, n, 400, rng)))
    figure, (left, right) = new_figure(1, 2, height=2.8, width_ratios=(1.25, 1))
    left.hist(scores, 40, density=True, color=COLORS["blue"], alpha=0.75)
    x = np.linspace(-4, 4, 201) * np.sqrt(d)
    left.plot(x, gaussian_score_pdf(x, d), color=COLORS["red"])
    left.set(yticks=[], xlabel=f"score q·k, d = {d}")
    left.spines["left"].set_visible(False)
    colors = [COLORS["red" if weight == row.max() else "blue"] for weight in row]
    right.bar(np.arange(1, n + 1), row, color=colors)
    right.set(ylim=(0, 1), xlabel="key", ylabel="weight", xticks=np.arange(1, n + 1))
    for axis in (left, right):
        axis.grid(visible=False)
    return figure, (
        f"Left, a histogram of {scores.size} scores q·k of random vectors with d = {d}: their "
        f"standard deviation is {scores.std():.2f}, and the exact density lies over them. Right, "
        f"the softmax weights of a typical row of {n} keys: the largest is {row.max():.2f}."
    )
