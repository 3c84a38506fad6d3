"""The live figure of the first page."""

from pathlib import Path

import numpy as np

from attn_helpers.laws import Gaussian
from attn_helpers.sampling import simulate_rows, simulate_scores
from why_sqrt_d.front import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

__all__ = ["sampler"]


def still(d: int = 64) -> Picture:
    """Return 2 000 scores with their exact density, and a row of weights over ten keys."""
    rng = np.random.default_rng(1)
    scores = simulate_scores(Gaussian(), d, 2000, rng)
    return figures.sampler(scores, simulate_rows(Gaussian(), d, 10, 1, rng)[0], d)


def sampler(**start: object) -> LiveFigure:
    """Return the figure that draws scores and a row of weights; `start` says where it begins."""
    module = Path(__file__).with_name("sampler.js")
    return LiveFigure(module, still, (676, 1093), **start)
