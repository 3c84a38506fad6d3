"""How spread a row of attention weights is: entropy and the effective number of keys."""

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._validate import FloatArray, as_real, check_axis, first_index, working


def entropy(weights: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the entropy of the weights in nats, with 0·log 0 = 0.

    Parameters
    ----------
    weights : array_like
        Non-negative weights, any shape with at least one axis; along `axis` they are taken to
        sum to one (not checked).
    axis : int
        The axis to sum over; the result does not have it.

    Returns
    -------
    ndarray
        -sum(p log p), between 0 (one key) and log n (all keys alike); float dtype kept. A row of
        all zeros (a fully masked query) gives 0, a row with NaN gives NaN.

    Raises
    ------
    TypeError
        If `weights` are not real or `axis` not an integer.
    ValueError
        If a weight is negative, or `axis` is missing or empty.

    Notes
    -----
    Shannon (1948), "A Mathematical Theory of Communication", section 6, theorem 2 with K = 1 and
    the natural logarithm.

    Examples
    --------
    >>> float(entropy([0.5, 0.5, 0.0]))
    0.6931471805599453
    """
    p = _weights(weights, axis, "entropy")
    logs = np.zeros_like(working(p))
    np.log(p, out=logs, where=p != 0, dtype=logs.dtype)
    logs *= p
    # 0 - x, not -x: a one-hot row gives 0.0 and not -0.0.
    return np.asarray(0 - np.add.reduce(logs, axis=axis)).astype(p.dtype, copy=False)[()]


def effective_keys(weights: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the effective number of keys, 1 / sum(p²).

    Parameters
    ----------
    weights : array_like
        Non-negative weights, any shape with at least one axis; along `axis` they are taken to
        sum to one (not checked).
    axis : int
        The axis to sum over; the result does not have it.

    Returns
    -------
    ndarray
        Between 1 (one key holds all the weight) and n (all alike); float dtype kept. A row of
        all zeros attends to no key and gives 0, a row with NaN gives NaN.

    Raises
    ------
    TypeError
        If `weights` are not real or `axis` not an integer.
    ValueError
        If a weight is negative, or `axis` is missing or empty.

    Notes
    -----
    The inverse participation ratio, equal to the exponential of the Rényi entropy of order 2:
    Hill (1973), "Diversity and Evenness", Ecology 54(2): the diversity number of order 2.

    Examples
    --------
    >>> float(effective_keys([0.5, 0.5, 0.0]))
    2.0
    """
    p = _weights(weights, axis, "effective_keys")
    squares = np.asarray(np.add.reduce(np.square(p, dtype=working(p).dtype), axis=axis))
    keys = np.zeros_like(squares)
    np.divide(1, squares, out=keys, where=squares != 0)
    return keys.astype(p.dtype, copy=False)[()]


def _weights(weights: ArrayLike, axis: int, name: str) -> FloatArray:
    p = as_real(weights, f"{name}: weights")
    check_axis(p, axis, f"{name}: weights")
    negative = p < 0
    if negative.any():
        index = first_index(negative)
        raise ValueError(
            f"{name}: weights hold a negative number, {float(p[index])!r}, at index {index}"
        )
    return p
