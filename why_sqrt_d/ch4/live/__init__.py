"""The live figure of chapter 4."""

import numpy as np

from attn_helpers import softmax, softmax_jacobian
from attn_helpers.checks import FloatArray
from why_sqrt_d.ch4 import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture


def largest_entries(scores: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the largest entry of β(diag(p) - ppᵀ) for a row of scores (n,), shape (scales,)."""
    weights = softmax(scales[:, None] * scores)
    entries: FloatArray = scales * softmax_jacobian(weights).max(axis=(-2, -1))
    return entries


def _still() -> Picture:
    scales = np.geomspace(1 / 64, 8, 145)
    others = np.array([0.0, -6.0, -9.0])
    entries = {gap: largest_entries(np.append(others, gap), scales) for gap in (1.0, 4.0, 16.0)}
    return figures.grows_and_vanishes(scales, entries, 64)


#: The Jacobian of one row, which follows β.
jacobian = LiveFigure("ch4/jacobian", _still, (728, 996))
