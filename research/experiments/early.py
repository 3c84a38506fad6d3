"""The first losses of a training, which every processor computes alike."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from why_sqrt_d.digits import short

EARLY = (1, 2, 5, 10)  # the steps whose losses are stored


def early(losses: Sequence[float] | NDArray[np.floating]) -> list[float]:
    """Return the losses at the steps in EARLY, of those that were made."""
    return short(losses[step - 1] for step in EARLY if step <= len(losses))
