"""Softmax, its logarithm and its derivative.

softmax(x)_i = exp(x_i) / sum_j exp(x_j). Subtracting the row maximum changes nothing in
exact arithmetic and keeps every exponent at or below zero, so nothing overflows (Goodfellow,
Bengio & Courville, *Deep Learning*, section 4.1). After it the largest term is exp(0) = 1 and
the sum is at least 1, which two lines below rely on.
"""

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._validate import (
    FloatArray,
    as_real,
    check_axis,
    check_same_shape,
    first_index,
    working,
)


def softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the softmax of `x` along one axis.

    Parameters
    ----------
    x : array_like
        Real numbers, any shape with at least one axis. ``-inf`` marks what gets weight zero.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        The weights, same shape; float dtypes are kept, integers give float64. A row of all
        ``-inf`` gives zeros, a row with NaN gives NaN.

    Raises
    ------
    TypeError
        If `x` is not real or `axis` not an integer.
    ValueError
        If `x` holds ``+inf`` (in a row without NaN), is a scalar, or `axis` is missing or empty.

    Notes
    -----
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1. float16 is
    computed in float32 and rounded once.

    Examples
    --------
    >>> softmax([0.0, np.log(3.0)])
    array([0.25, 0.75])
    >>> softmax([1000.0, 1000.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    values = as_real(x, "softmax: x")
    check_axis(values, axis, "softmax: x")
    weights, total = exponentials(working(values), axis, "softmax: x")
    weights /= total
    return weights.astype(values.dtype, copy=False)


def exponentials(
    values: FloatArray, axis: int, name: str, out: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return exp(values - row maximum) and its sum (at least 1) along `axis`, kept as an axis.

    `name` is for the error about +inf; `out` may be `values` itself. Nothing is checked here.
    """
    shifted, ordinary = _shift(values, axis, name, out)
    np.exp(shifted, out=shifted)
    total = np.add.reduce(shifted, axis=axis, keepdims=True)
    if not ordinary:
        # A live row sums to at least 1; a row of all -inf sums to 0, and 0/1 leaves its zeros.
        np.maximum(total, 1, out=total)
    return shifted, total


def _shift(
    values: FloatArray, axis: int, name: str, out: FloatArray | None = None
) -> tuple[FloatArray, bool]:
    """Return values - row maximum, and whether all maxima are finite.

    A row of all -inf stays -inf, a row with NaN becomes NaN.
    """
    top = np.maximum.reduce(values, axis=axis, keepdims=True)
    ordinary = np.count_nonzero(np.isfinite(top)) == top.size
    if not ordinary:
        if (top == np.inf).any():
            raise ValueError(_infinite(values, top, name))
        # -inf - (-inf) would be NaN; with a finite top it is -inf, whose exponential is 0.
        np.maximum(top, np.finfo(top.dtype).min, out=top)
    with np.errstate(over="ignore"):  # min - max may reach -inf, which is right
        return np.subtract(values, top, out=out), ordinary


def _infinite(values: FloatArray, top: FloatArray, name: str) -> str:
    index = first_index((values == np.inf) & (top == np.inf))
    return f"{name} holds +inf at index {index}; softmax is undefined there"


def log_softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the logarithm of the softmax of `x`, exact also where the weight underflows.

    Parameters
    ----------
    x : array_like
        Real numbers, any shape with at least one axis.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        x - log(sum(exp(x))), same shape and float dtype. A row of all ``-inf`` stays ``-inf``,
        a row with NaN gives NaN.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    Blanchard, Higham & Higham (2021), "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41(4).

    Examples
    --------
    >>> log_softmax([0.0, -2000.0])
    array([    0., -2000.])
    """
    values = as_real(x, "log_softmax: x")
    check_axis(values, axis, "log_softmax: x")
    shifted, _ = _shift(working(values), axis, "log_softmax: x")
    total = np.add.reduce(np.exp(shifted), axis=axis, keepdims=True)
    shifted -= np.log(np.maximum(total, 1, out=total))
    return shifted.astype(values.dtype, copy=False)


def naive_softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Return exp(x) / sum(exp(x)) as the textbook writes it, to show where it fails.

    Parameters
    ----------
    x : array_like
        Real numbers, any shape with at least one axis.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        Same shape and float dtype (float16 stays float16 throughout). Without a warning it holds
        NaN where exp overflows (above 709.78 in float64, 88.72 in float32, 11.09 in float16)
        and where a whole row underflows to 0/0.

    Raises
    ------
    TypeError, ValueError
        As `softmax`, except that ``+inf`` is let through.

    Notes
    -----
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1, taken
    literally. Use `softmax` for anything else.

    Examples
    --------
    >>> naive_softmax([0.0, 710.0])
    array([ 0., nan])
    """
    values = as_real(x, "naive_softmax: x")
    check_axis(values, axis, "naive_softmax: x")
    with np.errstate(all="ignore"):
        powers = np.exp(values)
        return powers / powers.sum(axis=axis, keepdims=True)


def softmax_jacobian(weights: ArrayLike) -> FloatArray:
    """Return the Jacobian of softmax, d weights_i / d logits_j, from the weights alone.

    Parameters
    ----------
    weights : array_like
        Softmax weights, shape ``(..., n)``.

    Returns
    -------
    ndarray
        J = diag(p) - p pᵀ, shape ``(..., n, n)``, same float dtype: symmetric, positive
        semidefinite, every row sums to zero.

    Raises
    ------
    TypeError
        If `weights` are not real numbers.
    ValueError
        If `weights` is a scalar or its last axis is empty.

    Notes
    -----
    Bridle (1990), "Probabilistic interpretation of feedforward classification network outputs";
    Bishop (2006), *Pattern Recognition and Machine Learning*, equation 4.106.

    Examples
    --------
    >>> softmax_jacobian([0.25, 0.75])
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    p = as_real(weights, "softmax_jacobian: weights")
    check_axis(p, -1, "softmax_jacobian: weights")
    jacobian = -p[..., :, None] * p[..., None, :]
    i = np.arange(p.shape[-1])
    jacobian[..., i, i] += p
    return jacobian


def softmax_vjp(weights: ArrayLike, grad: ArrayLike, axis: int = -1) -> FloatArray:
    """Return Jᵀ grad, the gradient to the logits, without building the Jacobian.

    Parameters
    ----------
    weights : array_like
        Softmax weights, any shape with at least one axis.
    grad : array_like
        Gradient of a loss to the weights, same shape.
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        p * (grad - sum(p * grad)), same shape, dtype ``result_type(weights, grad)``.

    Raises
    ------
    TypeError
        If an argument is not real or `axis` not an integer.
    ValueError
        If the shapes differ, or `axis` is missing or empty.

    Notes
    -----
    Dao et al. (2022), "FlashAttention", appendix B.2.

    Examples
    --------
    >>> softmax_vjp([0.25, 0.75], [1.0, 0.0])
    array([ 0.1875, -0.1875])
    """
    p = as_real(weights, "softmax_vjp: weights")
    g = as_real(grad, "softmax_vjp: grad")
    check_same_shape(p, g, ("softmax_vjp: weights", "grad"))
    check_axis(p, axis, "softmax_vjp: weights")
    dtype = np.result_type(p, g)
    p, g = working(p), working(g)
    inner = np.add.reduce(p * g, axis=axis, keepdims=True)
    result = g - inner
    return np.multiply(result, p).astype(dtype, copy=False)
