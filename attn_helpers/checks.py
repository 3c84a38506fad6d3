"""Checks on what a caller hands in. Every error quotes what was given."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.floating[Any]]
Float64Array = NDArray[np.float64]  # where an entry has to be a Python float

# Numbers that a simulation draws at once: 8 MB. A few such arrays live at a time, so a run stays
# below about 64 MB. Changing it changes which numbers a seed gives.
BLOCK = 2**20


def as_real(x: ArrayLike, name: str) -> FloatArray:
    """Return `x` as a float array: float dtypes are kept, integers become float64."""
    array = plain(x, name)
    kind = array.dtype.kind
    if kind == "f":
        return array
    if kind in "iu":
        return array.astype(np.float64)
    raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}")


def plain(x: ArrayLike, name: str) -> NDArray[Any]:
    """Return `x` as an array; TypeError for a masked array, whose mask would be lost."""
    if np.ma.isMaskedArray(x):
        raise TypeError(
            f"{name} is a masked array, whose mask would be ignored: give x.filled(number), "
            "and to attention a boolean attn_mask"
        )
    return np.asarray(x)


def working(array: FloatArray) -> FloatArray:
    """Return float16 as float32, anything else unchanged: sums in float16 lose digits."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def check_axis(array: FloatArray, axis: int, name: str) -> None:
    """Raise unless `axis` is one existing, non-empty axis of `array`."""
    try:
        position = operator.index(axis)
    except TypeError:
        raise TypeError(f"{name}: axis must be one integer, got {axis!r}") from None
    shape = array.shape
    if not shape:
        raise ValueError(f"{name} is a scalar (shape ()); at least one axis is needed")
    if not -len(shape) <= position < len(shape):
        raise ValueError(f"{name}: axis {axis} is out of range for shape {shape}")
    if shape[position] == 0:
        raise ValueError(f"{name}: axis {axis} of shape {shape} is empty")


def check_same_shape(first: FloatArray, second: FloatArray, names: tuple[str, str]) -> None:
    """Raise unless both arrays have one shape."""
    if first.shape != second.shape:
        raise ValueError(
            f"{names[0]} has shape {first.shape} but {names[1]} has shape {second.shape}"
        )


def first_index(condition: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the index of the first True as plain integers, for error messages."""
    return tuple(int(i) for i in np.argwhere(condition)[0])


def finite(value: float, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a finite Python float in [low, high]."""
    wanted = f"{name} must be a finite number{_interval(low, high)}"
    if isinstance(value, (str, bytes, bool, np.bool_)):
        raise TypeError(f"{wanted}, got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{wanted}, got {value!r}") from None
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{wanted}, got {number!r}")
    return number


def _interval(low: float, high: float) -> str:
    """Return the bounds in words: '' or ' >= 0' or ' in [-1, 1]'."""
    if low == -math.inf and high == math.inf:
        return ""
    if high == math.inf:
        return f" >= {low:g}"
    return f" <= {high:g}" if low == -math.inf else f" in [{low:g}, {high:g}]"


def positive(value: float, name: str) -> float:
    """Return `value` as a finite Python float above zero."""
    number = finite(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be a finite number > 0, got {number!r}")
    return number


def positive_int(value: int, name: str) -> int:
    """Return `value` as a Python integer of at least one."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer >= 1, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer >= 1, got {value!r}") from None
    if number < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {number}")
    return number


def several_keys(n: int) -> int:
    """Return `n` as a Python integer of at least two: one key leaves a softmax no choice."""
    if positive_int(n, "n") < 2:
        raise ValueError(f"n must be at least 2 keys, got {n}")
    return operator.index(n)


def generator(rng: object) -> np.random.Generator:
    """Return the random generator; TypeError for a seed or for NumPy's old global state."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {rng!r}")
    return rng
