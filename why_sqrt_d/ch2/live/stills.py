"""The still picture of chapter 2's live figure."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def broken(logits: Mapping[str, FloatArray]) -> tuple[Figure, str]:
    """Draw histograms of q·k/√d (pairs,) under each other, on the standard normal density."""
    figure, axes = new_figure(len(logits), 1, height=1.5 * len(logits), sharex=True, squeeze=False)
    x = np.linspace(-4, 4, 201)
    words = []
    for axis, (name, values) in zip(axes[:, 0], logits.items(), strict=True):
        axis.hist(values, np.linspace(-8, 8, 81), density=True, color=COLORS["blue"])
        axis.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), "--", color=COLORS["red"])
        axis.set(
            title=f"{name}: variance {values.var():.1f}",
            yticks=[],
            xlim=(-8, 8),
            xticks=[-6, -3, 0, 3, 6],
        )
        axis.spines["left"].set_visible(False)
        axis.grid(visible=False)
        words.append(f"{name} {values.var():.2f}")
    axes[-1, 0].set_xlabel("q·k / √d")
    return figure, (
        "Histograms of q·k/√d beside the standard normal density, when an assumption of the proof "
        f"is broken. Their variances: {', '.join(words)}."
    )
