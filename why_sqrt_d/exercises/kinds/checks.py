"""What a mechanism can check of a result by itself, without the reference.

A check takes the result and the call's arguments, and returns None or what is wrong.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..messages import four, shape_text

Check = Callable[..., str | None]


def shape_only(shape: tuple[int, ...]) -> Check:
    """Make a check of the result's shape.

    >>> print(shape_only((2,))(np.ones(2)))
    None
    """

    def check(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
        if got.shape == shape:
            return None
        return f"should have shape {shape_text(shape)}; yours has shape {shape_text(got.shape)}."

    return check


def one_number(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result is a single number.

    >>> one_number(np.ones(2))
    'should give one number; yours has shape (2,).'
    """
    if got.ndim == 0:
        return None
    return f"should give one number; yours has shape {shape_text(got.shape)}."


def sums_to_one(axis: int = -1) -> Check:
    """Make a check that the result sums to 1 along `axis`, counted from the end.

    >>> sums_to_one()(np.array([0.5, 0.25]))
    'should sum to 1 over each row; yours sums to 0.75.'
    """

    def check(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
        if got.ndim < max(1, -axis):
            return "should have rows; yours gives a single number."
        sums = got.sum(axis=axis).reshape(-1)
        bad = sums[~(np.abs(sums - 1) <= 1e-6)]
        place = "each row" if axis == -1 else f"axis {axis}"
        if not bad.size:
            return None
        total = float(bad[0])
        yours = f"sums to {four(total)}" if four(total) != "1" else f"is off by {four(total - 1)}"
        return f"should sum to 1 over {place}; yours {yours}."

    return check


def all_finite(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result holds no nan and no inf.

    >>> all_finite(np.array([1.0, np.inf]))
    'should be finite; yours has inf in it.'
    """
    bad = got.reshape(-1)[~np.isfinite(got.reshape(-1))]
    return f"should be finite; yours has {four(float(bad[0]))} in it." if bad.size else None


def float_result(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result is floating point, whatever the input was.

    >>> float_result(np.array([0, 1]))
    'should be floats; yours are int64.'
    """
    return None if got.dtype.kind == "f" else f"should be floats; yours are {got.dtype.name}."
