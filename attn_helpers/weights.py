"""A row of weights: softmax and its logarithm, entropy, effective keys, softmax's Jacobian.

J = diag(p) - p pᵀ takes the gradient to the weights back to the logits. Its trace, its Frobenius
norm and bounds on its largest eigenvalue follow from the weights alone. They are computed without
subtracting nearly equal numbers, so a row with a weight of 1 - 1e-30 does not count as zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import (
    FloatArray,
    as_real,
    check_axis,
    check_same_shape,
    first_index,
    working,
)


def softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the softmax of `x` along one axis, on which the weights sum to one.

    A row with NaN gives NaN, and ``+inf`` is an error. A weight whose logit lies D below the
    largest is off by at most 2 (1 + D) eps of it, or by the smallest subnormal; more than 8192
    weights, or another axis than the last, add what NumPy's sum is off by. Vaswani et al. (2017),
    "Attention Is All You Need", section 3.2.1, equation 1.

    Parameters
    ----------
    x : array_like
        Logits, at least one axis. ``-inf`` marks what gets weight zero.
    axis : int
        The axis that a row lies along.

    Returns
    -------
    ndarray
        Same shape; float dtypes are kept, integers give float64, and float16 is computed in
        float32 and rounded once. A row of all ``-inf`` gives zeros.

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
    values: FloatArray,
    axis: int,
    name: str,
    out: FloatArray | None = None,
    starts: Sequence[int] = (),
) -> tuple[FloatArray, FloatArray]:
    """Return exp(values - row maximum) and its sum (at least 1) along `axis`, kept as an axis.

    `name` and `starts` are for `refuse_infinite`; `out` may be `values` itself.
    """
    powers = _shift(values, axis, name, out, starts)
    np.exp(powers, out=powers)
    # A live row sums to at least 1; a row of all -inf sums to 0, and 0/1 leaves its zeros.
    return powers, np.maximum(powers.sum(axis=axis, keepdims=True), 1)


def refuse_infinite(
    values: FloatArray, top: FloatArray, name: str, starts: Sequence[int] = ()
) -> None:
    """Raise if a row's maximum `top` is +inf; `values` are a block cut out at `starts`."""
    if (top == np.inf).any():
        index = first_index((values == np.inf) & (top == np.inf))
        index = tuple(i + start for i, start in zip_longest(index, starts, fillvalue=0))
        raise ValueError(f"{name} holds +inf at index {index}; softmax is undefined there")


def _shift(
    values: FloatArray,
    axis: int,
    name: str,
    out: FloatArray | None = None,
    starts: Sequence[int] = (),
) -> FloatArray:
    """Return values - row maximum; a row of all -inf stays -inf, a row with NaN becomes NaN."""
    top = values.max(axis=axis, keepdims=True)
    refuse_infinite(values, top, name, starts)
    # -inf - (-inf) would be NaN; with a finite top it is -inf, whose exponential is 0.
    np.maximum(top, np.finfo(top.dtype).min, out=top)
    with np.errstate(over="ignore"):  # min - max may reach -inf, which is right
        return np.subtract(values, top, out=out)


def log_softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the logarithm of the softmax of `x`, exact also where the weight underflows.

    x - log(sum(exp(x))): Blanchard, Higham & Higham (2021), "Accurately computing the log-sum-exp
    and softmax functions", IMA J. Numer. Anal. 41(4).

    Parameters
    ----------
    x : array_like
        Logits, as for `softmax`.
    axis : int
        The axis that a row lies along.

    Returns
    -------
    ndarray
        Same shape and float dtype, in nats. A row of all ``-inf`` stays ``-inf``, a row with NaN
        gives NaN.

    Examples
    --------
    >>> log_softmax([0.0, -2000.0])
    array([    0., -2000.])
    """
    values = as_real(x, "log_softmax: x")
    check_axis(values, axis, "log_softmax: x")
    shifted = _shift(working(values), axis, "log_softmax: x")
    shifted -= np.log(np.maximum(np.exp(shifted).sum(axis=axis, keepdims=True), 1))
    return shifted.astype(values.dtype, copy=False)


def softmax_jacobian(weights: ArrayLike) -> FloatArray:
    """Return the Jacobian of softmax, d weights_i / d logits_j, from the weights alone.

    J = diag(p) - p pᵀ: Bridle (1990), "Probabilistic interpretation of feedforward classification
    network outputs"; Bishop (2006), *Pattern Recognition and Machine Learning*, equation 4.106.

    Parameters
    ----------
    weights : array_like
        Rows of a softmax, ``(..., n)``.

    Returns
    -------
    ndarray
        Shape ``(..., n, n)``, same float dtype: symmetric, positive semidefinite, every row sums
        to zero.

    Examples
    --------
    >>> softmax_jacobian([0.25, 0.75])
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    p = as_real(weights, "softmax_jacobian: weights")
    check_axis(p, -1, "softmax_jacobian: weights")
    return p[..., None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])


def softmax_vjp(weights: ArrayLike, grad: ArrayLike, axis: int = -1) -> FloatArray:
    """Return Jᵀ grad, the gradient to the logits, without building the Jacobian.

    p * (grad - sum(p * grad)): Dao et al. (2022), "FlashAttention", appendix B.2.

    Parameters
    ----------
    weights : array_like
        A softmax p, any shape.
    grad : array_like
        The gradient of a loss to them, same shape.
    axis : int
        The axis that a row lies along.

    Returns
    -------
    ndarray
        Same shape, dtype ``result_type(weights, grad)``.

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
    return (p * (g - (p * g).sum(axis=axis, keepdims=True))).astype(dtype, copy=False)


def entropy(weights: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the entropy of the weights in nats, -sum(p log p), with 0·log 0 = 0.

    Shannon (1948), "A Mathematical Theory of Communication", section 6, theorem 2 with K = 1 and
    the natural logarithm.

    Parameters
    ----------
    weights : array_like
        Non-negative, any shape, and taken to sum to one (not checked).
    axis : int
        The axis that a row lies along.

    Returns
    -------
    ndarray
        Without that axis, float dtype kept: between 0 (one key) and log n (all keys alike). A row
        of all zeros (a fully masked query) gives 0, a row with NaN gives NaN.

    Examples
    --------
    >>> float(entropy([0.5, 0.5, 0.0]))
    0.6931471805599453
    """
    p = _weights(weights, axis, "entropy")
    logs = working(p).copy()
    logs[logs == 0] = 1  # for 0·log 0 = 0
    np.log(logs, out=logs)
    logs *= p
    # 0 - x, not -x: a one-hot row gives 0.0 and not -0.0.
    return np.asarray(0 - logs.sum(axis=axis)).astype(p.dtype, copy=False)[()]


def effective_keys(weights: ArrayLike, axis: int = -1) -> FloatArray:
    """Return the effective number of keys, 1 / sum(p²).

    The inverse participation ratio, equal to the exponential of the Rényi entropy of order 2: Hill
    (1973), "Diversity and Evenness", Ecology 54(2): the diversity number of order 2.

    Parameters
    ----------
    weights : array_like
        As for `entropy`.
    axis : int
        The axis that a row lies along.

    Returns
    -------
    ndarray
        Without that axis: between 1 (one key holds all the weight) and n (all alike). A row of all
        zeros attends to no key and gives 0, a row with NaN gives NaN. The float dtype is kept, but
        float16, which ends at 65 504, gives float32.

    Examples
    --------
    >>> float(effective_keys([0.5, 0.5, 0.0]))
    2.0
    """
    p = _weights(weights, axis, "effective_keys")
    squares = np.asarray(np.square(working(p)).sum(axis=axis))
    return np.divide(1, squares, out=np.zeros_like(squares), where=squares != 0)[()]


def _weights(weights: ArrayLike, axis: int, name: str) -> FloatArray:
    p = as_real(weights, f"{name}: weights")
    check_axis(p, axis, f"{name}: weights")
    if (p < 0).any():
        index = first_index(p < 0)
        raise ValueError(
            f"{name}: weights hold a negative number, {float(p[index])!r}, at index {index}"
        )
    return p


def jacobian_trace(weights: ArrayLike) -> FloatArray:
    """Return the trace of softmax's Jacobian, 1 - Σp², of each row of weights ``(..., n)``.

    The sum of the diagonal p_i (1 - p_i) of Bishop (2006), equation 4.106: between 0 (one key has
    all the weight) and 1 - 1/n (all alike). Rows are taken to sum to one (not checked).

    >>> float(jacobian_trace([0.5, 0.25, 0.25]))
    0.625
    """
    p, rest, _ = _parts(weights, "jacobian_trace: weights")
    return np.asarray((p * rest).sum(axis=-1))[()]


def jacobian_norm(weights: ArrayLike) -> FloatArray:
    """Return the Frobenius norm of softmax's Jacobian.

    The root of Σp² - 2Σp³ + (Σp²)², from the squares of p_i (1 - p_i) and of -p_i p_j. If the
    gradient to the weights has independent N(0, 1) entries, it is the root mean square of the
    gradient to the logits.

    Parameters
    ----------
    weights : array_like
        Rows of a softmax, ``(..., n)``, each taken to sum to one (not checked).

    Returns
    -------
    ndarray
        Shape ``(...)``.

    Examples
    --------
    >>> float(jacobian_norm([0.5, 0.5]))
    0.5
    """
    p, rest, others = _parts(weights, "jacobian_norm: weights")
    squares = np.square(others)
    small = squares.sum(axis=-1)
    diagonal = np.square(p * rest).sum(axis=-1)
    pairs = np.maximum(small**2 - np.square(squares).sum(axis=-1), 0)
    mixed = 2 * p.max(axis=-1) ** 2 * small + pairs
    return np.asarray(np.sqrt(diagonal + mixed))[()]


def _parts(weights: ArrayLike, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p, 1 - p without cancellation, and p with its largest entry set to zero."""
    p = as_real(weights, name)
    check_axis(p, -1, name)
    p = working(p)
    top = p.argmax(axis=-1)[..., None]
    others = p.copy()
    np.put_along_axis(others, top, 0, axis=-1)
    rest = 1 - p
    np.put_along_axis(rest, top, others.sum(axis=-1, keepdims=True), axis=-1)
    return p, rest, others
