"""How much gradient a row of attention weights lets through: the size of softmax's Jacobian.

J = diag(p) - p pᵀ takes the gradient to the weights back to the logits. Its trace, its Frobenius
norm and bounds on its largest eigenvalue follow from the weights alone. They are computed without
subtracting nearly equal numbers, so a row with a weight of 1 - 1e-30 does not count as zero.
"""

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._validate import FloatArray, as_real, check_axis, working
from attn_helpers.random_energy import critical_std, frozen_parameter


def jacobian_trace(weights: ArrayLike) -> FloatArray:
    """Return the trace of softmax's Jacobian, 1 - Σp².

    Parameters
    ----------
    weights : array_like
        Softmax weights, shape ``(..., n)``; each row is taken to sum to one (not checked).

    Returns
    -------
    ndarray
        Shape ``(...)``: between 0 (one key has all the weight) and 1 - 1/n (all alike).

    Raises
    ------
    TypeError
        If `weights` are not real numbers.
    ValueError
        If `weights` is a scalar or its last axis is empty.

    Notes
    -----
    The sum of the diagonal p_i (1 - p_i) of Bishop (2006), *Pattern Recognition and Machine
    Learning*, equation 4.106.

    Examples
    --------
    >>> float(jacobian_trace([0.5, 0.25, 0.25]))
    0.625
    """
    p, rest, _ = _parts(weights, "jacobian_trace: weights")
    return np.asarray((p * rest).sum(axis=-1))[()]


def jacobian_norm(weights: ArrayLike) -> FloatArray:
    """Return the Frobenius norm of softmax's Jacobian.

    Parameters
    ----------
    weights : array_like
        Softmax weights, shape ``(..., n)``; each row is taken to sum to one (not checked).

    Returns
    -------
    ndarray
        The root of Σp² - 2Σp³ + (Σp²)², shape ``(...)``. If the gradient to the weights has
        independent N(0, 1) entries, it is the root mean square of the gradient to the logits.

    Raises
    ------
    TypeError, ValueError
        As `jacobian_trace`.

    Notes
    -----
    The sum of the squares of p_i (1 - p_i) and of -p_i p_j, from Bishop (2006), equation 4.106.

    Examples
    --------
    >>> float(jacobian_norm([0.5, 0.5]))
    0.5
    """
    p, rest, others = _parts(weights, "jacobian_norm: weights")
    top = p.max(axis=-1)
    small = np.square(others).sum(axis=-1)
    diagonal = np.square(p * rest).sum(axis=-1)
    mixed = 2 * top**2 * small + np.maximum(small**2 - (others**4).sum(axis=-1), 0)
    return np.asarray(np.sqrt(diagonal + mixed))[()]


def jacobian_bounds(weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return a lower and an upper bound on the largest eigenvalue of softmax's Jacobian.

    Parameters
    ----------
    weights : array_like
        Softmax weights, shape ``(..., n)`` with n >= 2; each row is taken to sum to one.

    Returns
    -------
    lower, upper : ndarray
        The second largest weight, and the smaller of the largest weight and 1/2; shape ``(...)``.

    Raises
    ------
    TypeError
        If `weights` are not real numbers.
    ValueError
        If `weights` is a scalar or holds fewer than two weights a row.

    Notes
    -----
    Interlacing of a rank-one change (Golub & Van Loan, *Matrix Computations*, 4th edition, theorem
    8.1.8), and Popoviciu's inequality: the variance of a variable is at most a quarter of its
    squared range.

    Examples
    --------
    >>> low, high = jacobian_bounds([0.7, 0.2, 0.1])
    >>> float(low), float(high)
    (0.2, 0.5)
    """
    p = as_real(weights, "jacobian_bounds: weights")
    check_axis(p, -1, "jacobian_bounds: weights")
    if p.shape[-1] < 2:
        raise ValueError(f"jacobian_bounds needs at least two weights a row, got shape {p.shape}")
    top = np.partition(working(p), -2, axis=-1)[..., -2:]
    return np.asarray(top[..., 0])[()], np.asarray(np.minimum(top[..., 1], 0.5))[()]


def predicted_jacobian_square(n: int, std: float) -> float:
    """Return the random energy model's mean squared Frobenius norm of softmax's Jacobian.

    Parameters
    ----------
    n : int
        Number of keys, at least 2.
    std : float
        Standard deviation σ of the logits, above 0.

    Returns
    -------
    float
        exp(σ²)/n below σ_c/2, m (1 - m)/3 when m = `frozen_parameter` is below 1, and NaN
        between the two, where neither holds.

    Raises
    ------
    TypeError, ValueError
        As `frozen_parameter`.

    Notes
    -----
    Moments of the Poisson-Dirichlet law with parameter m, from Pitman & Yor (1997), "The
    two-parameter Poisson-Dirichlet distribution derived from a stable subordinator": with u = 1-m
    they are E Σp² = u, E Σp³ = u(1+u)/2, E (Σp²)² = u(1+u)(2+u)/6 + m u²/6.

    Examples
    --------
    >>> round(predicted_jacobian_square(16, std=32.0), 4)
    0.0192
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n) / 2:
        return float(np.exp(std**2) / n)
    return m * (1 - m) / 3 if m < 1 else float("nan")


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
