"""The live figure of the first page."""

from pathlib import Path

from why_sqrt_d.front.live.stills import scores_and_weights
from why_sqrt_d.live import LiveFigure

__all__ = ["sampler"]


def sampler(**start: object) -> LiveFigure:
    """Return the figure that draws scores and a row of weights; `start` says where it starts."""
    module = Path(__file__).with_name("sampler.js")
    return LiveFigure(module, scores_and_weights, (640, 1010), **start)
