"""The card that a shared link shows: the course's question, and the answer in two pictures."""

import io

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import attn_helpers as ah
from why_sqrt_d.pictures.style import COLORS, DRAWING, STYLE

PAPER, INK, SOFT = "#fdfcf9", "#1d2127", "#5b626d"


def card_png() -> bytes:
    """Return the card, 1200 by 630 pixels, which is what links are shown with."""
    scores = ah.simulate_rows(ah.Gaussian(), 1024, n=10, rows=2000, rng=np.random.default_rng(1))
    rows = {"q·k": scores, "q·k / √d": scores / 32}
    buffer = io.BytesIO()
    with DRAWING, mpl.rc_context(STYLE):
        figure = Figure(figsize=(12, 6.3), dpi=100, facecolor=PAPER)
        figure.text(0.06, 0.62, "Why √d?", fontsize=62, fontweight="bold", color=INK)
        figure.text(0.065, 0.48, "Why attention divides its scores by √d,", fontsize=21, color=INK)
        figure.text(0.065, 0.41, "and what that really fixes.", fontsize=21, color=INK)
        figure.text(0.065, 0.12, "Ten keys, d = 1024", fontsize=17, color=SOFT)
        for place, (name, found) in enumerate(rows.items()):
            axis = figure.add_axes((0.62, 0.56 - 0.42 * place, 0.32, 0.3), facecolor="none")
            weights = ah.softmax(found)
            row = weights[weights.max(axis=-1).argsort()[len(weights) // 2]]  # a typical one
            bars = axis.bar(np.arange(row.size), row, width=0.72, color=COLORS["blue"])
            bars[int(row.argmax())].set_color(COLORS["red"])
            axis.set(ylim=(0, 1.02), xticks=[], yticks=[])
            axis.grid(False)
            axis.spines["left"].set_visible(False)
            axis.set_title(f"softmax of {name}: {row.max():.2f}", fontsize=17, color=SOFT)
        figure.savefig(buffer, format="png", facecolor=PAPER, metadata={"Software": None})
    return buffer.getvalue()
