"""A stable softmax and the wrong ones that people write, for exercise 3.8."""

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float64]


def stable_softmax(x: Logits, axis: int = -1) -> Logits:
    """Return the softmax along `axis`, with the maximum along that axis subtracted."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def naive(x: Logits, axis: int = -1) -> Logits:
    """Subtract no maximum."""
    powers = np.exp(x)
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def global_maximum(x: Logits, axis: int = -1) -> Logits:
    """Subtract the maximum of all rows."""
    powers = np.exp(x - x.max())
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def global_sum(x: Logits, axis: int = -1) -> Logits:
    """Divide by the sum over all rows."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum())


def no_keepdims(x: Logits, axis: int = -1) -> Logits:
    """Broadcast the row maxima and sums along the wrong axis."""
    powers = np.exp(x - x.max(axis=axis))
    return np.asarray(powers / powers.sum(axis=axis))


def rows_only(x: Logits, axis: int = -1) -> Logits:
    """Take axis 1, whatever `axis` is."""
    return stable_softmax(x, 1)


def two_axes_only(x: Logits, axis: int = -1) -> Logits:
    """Know rows and columns only."""
    return stable_softmax(x.T).T if axis == 0 else stable_softmax(x)


def last_axis_only(x: Logits, axis: int = -1) -> Logits:
    """Ignore `axis`."""
    return stable_softmax(x)


def minimum(x: Logits, axis: int = -1) -> Logits:
    """Subtract the minimum."""
    powers = np.exp(x - x.min(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def mean(x: Logits, axis: int = -1) -> Logits:
    """Subtract the mean of the keys that are not masked."""
    shown = np.where(np.isinf(x), np.nan, x)
    powers = np.exp(x - np.nanmean(shown, axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def clipped(x: Logits, axis: int = -1) -> Logits:
    """Cut the logits at ±700 so that exp does not overflow."""
    return stable_softmax(np.clip(x, -700, 700), axis)


def masked_as_zero(x: Logits, axis: int = -1) -> Logits:
    """Replace -inf by 0."""
    return stable_softmax(np.where(np.isinf(x), 0.0, x), axis)


def absolute_maximum(x: Logits, axis: int = -1) -> Logits:
    """Subtract the largest absolute value."""
    powers = np.exp(x - np.abs(x).max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def divided(x: Logits, axis: int = -1) -> Logits:
    """Divide by the maximum instead of subtracting it."""
    powers = np.exp(x / np.abs(x).max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def not_normalised(x: Logits, axis: int = -1) -> Logits:
    """Forget the division by the sum."""
    return np.asarray(np.exp(x - x.max(axis=axis, keepdims=True)))


def in_place(x: Logits, axis: int = -1) -> Logits:
    """Change the caller's array."""
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x
