"""What a mechanism can check of a result by itself, without the reference.

A check takes the result and the call's arguments, and returns None or what is wrong.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..messages import four, shape_text

Check = Callable[..., str | None]


def shape_only(shape: tuple[int, ...]) -> Check:
    """Make a check of the result's shape."""

    def check(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
        if got.shape == shape:
            return None
        return f"should have shape {shape_text(shape)}; yours has shape {shape_text(got.shape)}."

    return check


def one_number(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result is a single number."""
    if got.ndim == 0:
        return None
    return f"should give one number; yours has shape {shape_text(got.shape)}."


def sums_to_one(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result sums to 1 along its last axis."""
    if got.ndim == 0:
        return "should have rows; yours gives a single number."
    sums = got.sum(axis=-1).reshape(-1)
    bad = sums[~(np.abs(sums - 1) <= 1e-6)]
    if not bad.size:
        return None
    total = float(bad[0])
    yours = f"sums to {four(total)}" if four(total) != "1" else f"is off by {four(total - 1)}"
    return f"should sum to 1 over each row; yours {yours}."
