"""Numbers as people read them: few digits, in stored files, too; a minus that is one."""

from collections.abc import Iterable

import numpy as np


def rounded(value: float | np.floating, digits: int) -> float:
    """Return the number with so many significant digits, as a Python float."""
    return float(f"{float(value):.{digits}g}")


def short(values: Iterable[float | np.floating], digits: int = 6) -> list[float]:
    """Return the numbers with so many significant digits, as Python floats."""
    return [rounded(value, digits) for value in values]


def true_minus(text: str) -> str:
    """Return the text with a minus in place of every hyphen, as a page or a figure shows it.

    >>> true_minus(f"{-0.52:.1f} to {0.02:.1e}")
    '−0.5 to 2.0e−02'
    """
    return text.replace("-", "−")
