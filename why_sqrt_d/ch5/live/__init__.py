"""The live figures of chapter 5."""

from pathlib import Path

import numpy as np

from attn_helpers.needle import simulate_needle
from why_sqrt_d.ch5.live import stills
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

__all__ = ["needle"]

HERE = Path(__file__).parent


def _needle_still() -> Picture:
    scales, (n, margin) = np.geomspace(0.1, 100, 61), (1024, 3.5)
    rows = simulate_needle(list(scales), margin, n, 400, np.random.default_rng(5))
    return stills.needle_against_scale(scales, rows, n, margin)


def needle(**start: object) -> LiveFigure:
    """Return a needle among n keys, whose weight follows b; `start` says where it begins."""
    return LiveFigure(HERE / "needle.js", _needle_still, (645, 1060), **start)
