"""Figures of chapter 7 that move: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from attn_helpers.weights import entropy
from why_sqrt_d.pictures.rows import ranked_weights, typical_row
from why_sqrt_d.pictures.style import COLORS, new_figure, picture, thousands


@picture
def under_a_rule(
    logits: FloatArray, weights: FloatArray, limits: tuple[float, float], title: str
) -> tuple[Figure, str]:
    """Draw a histogram of the logits that a rule gives and, below it, a typical row of weights.

    Both are (rows, n), and with a sink the weights sum to less than one. `limits` are the ends of
    the histogram's axis, the same in all frames; what is outside is counted at them.
    """
    figure, (upper, lower) = new_figure(2, 1, height=5.0, height_ratios=(3, 2))
    edges = np.linspace(*limits, 82)
    inside = np.clip(logits.ravel(), limits[0] + 1e-9, limits[1] - 1e-9)
    share = np.full(inside.size, 100 / inside.size)
    upper.hist(inside, edges, weights=share, color=COLORS["blue"])
    upper.set(yscale="log", ylim=(0.005, 200))
    upper.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    upper.minorticks_off()
    upper.set(xlim=limits, xlabel="logit", ylabel="% of the keys")
    deviation = float(np.sqrt(logits.var(axis=-1).mean()))
    upper.set_title(f"{title}\nspread of a row's logits {_short(deviation)}")
    row = np.sort(typical_row(weights))[::-1]
    ranked_weights(lower, row)
    mean = float(np.mean(entropy(weights)) / np.log(weights.shape[-1]))
    lower.set_title(f"Largest weight {_short(row[0])}; entropy {100 * mean:.0f} % of ln n")
    beyond = float(100 * np.mean((logits < limits[0]) | (logits > limits[1])))
    said = f"{beyond:.0f}" if beyond >= 1 else f"{beyond:.1g}"
    return figure, (
        f"{title}. Histogram of the logits: within a row they have the standard deviation "
        f"{_short(deviation)}; the largest is {logits.max():.1f}"
        + (f", and {said} % lie outside the axis" if beyond else "")
        + f". Below, a typical row of {thousands(weights.shape[-1])} weights: the largest is "
        f"{_short(row[0])}. The mean entropy is {100 * mean:.0f} % of its largest value."
    )


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 9.95 else f"{value:.0f}"
