"""The live figures of chapter 3."""

from pathlib import Path

import numpy as np

from why_sqrt_d.ch3.live import stills
from why_sqrt_d.ch3.live.medians import DIMENSIONS, SIZES, effective_medians
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

__all__ = ["keys", "margin"]

HERE = Path(__file__).parent


def _margin_still() -> Picture:
    return stills.margin_and_crowd(np.array([8.0, 6.0, 3.0, 1.0]), 500)


def margin(**start: object) -> LiveFigure:
    """Return scores that can be changed, a crowd of further keys, and the weights of all.

    `start` says where it begins, as ``margin(scores="14,10", crowd=500)``.
    """
    return LiveFigure(HERE / "margin.js", _margin_still, (690, 1010), **start)


def _keys_still() -> Picture:
    return stills.effective_keys(SIZES, dict(zip(DIMENSIONS, effective_medians(101), strict=True)))


def keys(**start: object) -> LiveFigure:
    """Return a row of more and more keys, and how many count; `start` says where it begins."""
    return LiveFigure(HERE / "keys.js", _keys_still, (640, 950), **start)
