"""What the largest of n independent normal logits does: its size, its lead, its weight.

All three are integrals over one variable. They are summed over an even grid, which for a smooth
integrand that vanishes at both ends is exact to rounding.
"""

import math
from functools import cache

import numpy as np

from attn_helpers._validate import FloatArray, several_keys
from attn_helpers.random_energy import critical_std, frozen_parameter

_STEP = 1 / 64
_GRID = np.arange(-2560, 2561) * _STEP  # -40 … 40: the normal density is 0 beyond, to rounding
_PDF = np.exp(-(_GRID**2) / 2) / math.sqrt(2 * math.pi)
_LOG_STEP = 1 / 16
_LOG_GRID = np.arange(-640, 70) * _LOG_STEP  # ln λ from -40 to 4.3
_TERMS = 400  # of the series of ₁F₁, whose terms are largest near k = λ < 75


def _upper_tail(x: FloatArray) -> FloatArray:
    """P(Z > x) for a standard normal Z."""
    return np.array([math.erfc(value / math.sqrt(2)) / 2 for value in x.tolist()])


@cache
def _tail() -> FloatArray:
    """Return the upper tail over the grid."""
    return _upper_tail(_GRID)


def expected_maximum(n: int) -> float:
    """Return the mean of the largest of n independent standard normal variables.

    Parameters
    ----------
    n : int
        How many, at least 2.

    Returns
    -------
    float
        In standard deviations; always below sqrt(2 ln n).

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1.

    Notes
    -----
    ∫ x n φ(x) Φ(x)^(n-1) dx: David & Nagaraja (2003), *Order Statistics*, section 3.1.

    Examples
    --------
    >>> round(expected_maximum(1024), 3), round(critical_std(1024), 3)
    (3.248, 3.723)
    """
    return float(_STEP * np.sum(_GRID * several_keys(n) * _PDF * _all_below(n - 1, _tail())))


def expected_gap(n: int) -> float:
    """Return the mean distance from the largest of n standard normal variables to the second.

    Parameters
    ----------
    n : int
        How many, at least 2.

    Returns
    -------
    float
        In standard deviations. It falls with n, as slowly as 1/sqrt(2 ln n).

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1.

    Notes
    -----
    n ∫ Φ(x)^(n-1) (1 - Φ(x)) dx: the two largest lie on either side of x with probability
    n Φ(x)^(n-1) (1 - Φ(x)), and the length of their gap is the integral over all x between them
    (David & Nagaraja 2003, *Order Statistics*, section 3.1).

    Examples
    --------
    >>> round(expected_gap(2), 6), round(2 / math.sqrt(math.pi), 6)
    (1.128379, 1.128379)
    """
    return float(_STEP * np.sum(several_keys(n) * _all_below(n - 1, _tail()) * _tail()))


def predicted_largest(n: int, std: float) -> float:
    """Return the random energy model's mean of the largest weight among n normal logits.

    Parameters
    ----------
    n : int
        Number of keys, at least 2.
    std : float
        Standard deviation σ of the logits, above 0.

    Returns
    -------
    float
        ∫ φ(y) Φ(y + σ)^(n-1) dy below σ_c/2; the mean largest weight of the Poisson-Dirichlet
        law when m < 1; NaN between the two.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1, or `std` not a finite number above 0.

    Notes
    -----
    Below: the mean of the largest of the terms exp(z_i), over the mean of their sum; it is also
    the chance that a N(σ, 1) variable exceeds n - 1 standard normal ones. Above: let S be the sum
    of the ratios of the other terms to the largest. E exp(-λS) = e^λ / ₁F₁(1; 1-m; λ), and the
    mean of 1/(1 + S) is the integral of E exp(-λ(1 + S)) over λ > 0 (Pitman & Yor 1997, "The
    two-parameter Poisson-Dirichlet distribution", Ann. Probab. 25(2)).

    Examples
    --------
    >>> round(predicted_largest(1024, std=5 * critical_std(1024)), 3)
    0.872
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n) / 2:
        return float(_STEP * np.sum(_PDF * _all_below(n - 1, _upper_tail(_GRID + std))))
    return _frozen_largest(m) if m < 1 else math.nan


def _frozen_largest(m: float) -> float:
    """∫ dλ / ₁F₁(1; 1-m; λ) over λ > 0, on an even grid of ln λ."""
    rate = np.exp(_LOG_GRID)
    term, series = np.ones_like(rate), np.ones_like(rate)
    for k in range(_TERMS):
        term = term * rate / (1 - m + k)
        series += term
    return float(_LOG_STEP * np.sum(rate / series))


def _all_below(n: int, upper_tail: FloatArray) -> FloatArray:
    """(1 - upper tail)^n; far left, where the tail is 1, the power is 0."""
    with np.errstate(divide="ignore"):
        return np.exp(n * np.log1p(-upper_tail))
