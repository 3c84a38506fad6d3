"""The still pictures of the first page's live figures."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from attn_helpers.sampling import gaussian_score_pdf
from why_sqrt_d.pictures.axes import beside, key_bars
from why_sqrt_d.pictures.style import COLORS, Drawn, new_figure, picture


@picture
def sampler(scores: FloatArray, row: FloatArray, d: int) -> Drawn:
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
    yield figure
    yield (
        f"A histogram of {scores.size} scores at d = {d} with the exact density over it; their "
        f"standard deviation is {scores.std():.1f}. Beside it the softmax weights of one query "
        f"over {row.size} keys: the largest is {weights.max():.2f}."
    )


@picture
def storyteller(
    beginning: str,
    told: Mapping[float, str],
    losses: Sequence[tuple[float, Sequence[float]]],
) -> Drawn:
    """Draw what a model tells at some multipliers of its scale, and what it loses at more.

    ``losses`` holds each multiplier and the mean loss of every story there.
    """
    names = {1.0: "as trained", 8**0.5: "no division by √8", 0.0: "scale zero"}
    figure, (words, axis) = new_figure(2, 1, height=6.4, height_ratios=(1.25, 1))
    words.axis("off")
    lines = [(fill(beginning, 54) + " …", COLORS["grey"], "normal")]
    for multiplier, story in told.items():
        lines.append((names[multiplier], COLORS["red"], "bold"))
        lines.append((fill(f"… {story.strip()} …", 54), "#1d2127", "normal"))
    top = 1.0
    for text, color, weight in lines:
        words.text(0, top, text, color=color, weight=weight, va="top", transform=words.transAxes)
        top -= 0.075 * (text.count("\n") + 1) + (0.03 if weight == "normal" else 0)
    multipliers = np.array([m for m, _ in losses])
    places = np.log2(np.maximum(multipliers, 1 / 8))  # 0 stands at the left end
    table = np.array([of_all for _, of_all in losses])
    axis.plot(places, table, color=COLORS["blue"], lw=0.8, alpha=0.3)
    mean = table.mean(axis=1)
    axis.plot(places, mean, color=COLORS["red"])
    marked = {multiplier: float(mean[multipliers == multiplier][0]) for multiplier in told}
    for multiplier, loss in marked.items():
        at = (places[multipliers == multiplier].item(), loss)
        axis.plot(*at, "o", color=COLORS["red"])
        beside(axis, f"{loss:.2f}", at, (7, 7), color=COLORS["red"])
    axis.set_xticks([-3, -2, 0, 1.5, 3], ["0", "¼", "1", "√8", "8"])
    axis.set(ylim=(1, 4.6), xlabel="multiplier of the trained scale")
    axis.set_title("Loss on 24 stories, nats a token (line: mean)")
    said = "; ".join(f"{names[m]}: “{' '.join(story.split())}”" for m, story in told.items())
    means = ", ".join(f"{loss:.2f} {names[m]}" for m, loss in marked.items())
    yield figure
    yield (
        f"“{beginning}” A trained model goes on. {said}. Below, its loss on {table.shape[1]} "
        f"stories against the multiplier of its scale, a broad bowl; the mean is {means}."
    )
