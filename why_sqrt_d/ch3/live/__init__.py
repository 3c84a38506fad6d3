"""The live figures of chapter 3."""

from pathlib import Path

import numpy as np

from attn_helpers import softmax
from attn_helpers.saturation import normal_rows
from why_sqrt_d.ch3.live import stills
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

__all__ = ["keys", "margin"]

HERE = Path(__file__).parent


def margin(**start: object) -> LiveFigure:
    """Return three keys and a crowd, and their weights; `start` says where it begins."""
    return LiveFigure(HERE / "margin.js", _margin_still, (503, 770), **start)


def _margin_still() -> Picture:
    return stills.weights_beside_a_crowd(np.array([5.0, 3.0, 1.0]), crowd=500)


def _keys_still() -> Picture:
    """Draw, of 401 rows of 16 keys, the one whose largest weight is typical in both ways."""
    scores = normal_rows(64, 16, 401, np.random.default_rng(5))
    both = np.array([softmax(scores), softmax(scores / 8)])
    tops = both.max(axis=-1)
    typical = np.abs(tops / np.median(tops, axis=-1, keepdims=True) - 1).sum(axis=0).argmin()
    return stills.heaviest_keys(*both[:, typical])


def keys(**start: object) -> LiveFigure:
    """Return a row of more and more keys, undivided and divided; `start` says where it begins."""
    return LiveFigure(HERE / "keys.js", _keys_still, (601, 819), **start)
