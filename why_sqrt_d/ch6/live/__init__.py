"""The live figure of chapter 6."""

import json
from pathlib import Path

import numpy as np

from attn_helpers.needle import simulate_needle
from why_sqrt_d.ch6 import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

LIFTS = Path(__file__).with_name("lifts.json")  # `research.ch6.crowds` computes and explains them


def _needle_still() -> Picture:
    scales, (n, margin) = np.geomspace(0.1, 100, 61), (1024, 3.5)
    rows = simulate_needle(list(scales), margin, n, 400, np.random.default_rng(5))
    return figures.needle_against_scale(scales, rows, n, margin)


#: A needle among n keys, whose weight follows b.
needle = LiveFigure(
    "ch6/needle", _needle_still, (633, 949), lambda: json.loads(LIFTS.read_text("utf-8"))
)
