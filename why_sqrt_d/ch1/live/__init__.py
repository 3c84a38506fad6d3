"""The live figure of chapter 1."""

import numpy as np

from why_sqrt_d.ch1 import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture


def still() -> Picture:
    """Return the paths of forty scores as their products are added."""
    q, k = np.random.default_rng(13).standard_normal((2, 40, 1024))
    return figures.growing_sums(np.cumsum(q * k, axis=-1))


#: The paths of scores that grow term by term.
growth = LiveFigure("ch1/growth", still, (586, 663))
