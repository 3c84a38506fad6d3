"""The live figure of chapter 1."""

from pathlib import Path

from why_sqrt_d.ch1 import figures, results
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

__all__ = ["growth"]


def still() -> Picture:
    """Return the paths of a few scores as their terms are added."""
    return figures.growing_sums(results.partial_sums())


def growth(**start: object) -> LiveFigure:
    """Return the paths of scores that grow term by term; `start` says where it begins."""
    return LiveFigure(Path(__file__).with_name("growth.js"), still, (597, 742), **start)
