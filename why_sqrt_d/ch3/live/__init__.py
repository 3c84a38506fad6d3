"""The live figures of chapter 3."""

import numpy as np

from attn_helpers import softmax
from attn_helpers.saturation import normal_rows
from why_sqrt_d.ch3 import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture


def _margin_still() -> Picture:
    return figures.weights_beside_a_crowd(np.array([5.0, 3.0, 1.0]), crowd=500)


def _keys_still() -> Picture:
    """Draw, of 401 rows of 16 keys, the one whose largest weight is typical in both ways."""
    scores = normal_rows(64, 16, 401, np.random.default_rng(5))
    both = np.array([softmax(scores), softmax(scores / 8)])
    tops = both.max(axis=-1)
    typical = np.abs(tops / np.median(tops, axis=-1, keepdims=True) - 1).sum(axis=0).argmin()
    return figures.heaviest_keys(*both[:, typical])


#: Three keys and a crowd, and their weights.
margin = LiveFigure("ch3/margin", _margin_still, (503, 720))
#: A row of more and more keys, undivided and divided.
keys = LiveFigure("ch3/keys", _keys_still, (590, 715))
