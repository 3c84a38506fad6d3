"""Numbers with few digits, so that stored files stay small and readable."""

from collections.abc import Iterable

import numpy as np


def rounded(value: float | np.floating, digits: int) -> float:
    """Return the number with so many significant digits, as a Python float."""
    return float(f"{float(value):.{digits}g}")


def short(values: Iterable[float | np.floating], digits: int = 6) -> list[float]:
    """Return the numbers with so many significant digits, as Python floats."""
    return [rounded(value, digits) for value in values]
