"""Stored numbers with few digits, so that the files stay small and readable."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

EARLY = (1, 2, 5, 10)  # steps of a training whose losses every processor computes alike


def early(losses: Sequence[float] | NDArray[np.floating]) -> list[float]:
    """Return the losses at the steps in EARLY, of those that were made."""
    return short(losses[step - 1] for step in EARLY if step <= len(losses))


def rounded(value: float | np.floating, digits: int) -> float:
    """Return the number with so many significant digits, as a Python float."""
    return float(f"{float(value):.{digits}g}")


def short(values: Iterable[float | np.floating], digits: int = 6) -> list[float]:
    """Return the numbers with so many significant digits, as Python floats."""
    return [rounded(value, digits) for value in values]
