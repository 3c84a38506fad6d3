"""How sharp a softmax over n random logits is: the random energy model's two phases.

Logits z_1 … z_n are independent N(0, σ²). With σ_c = sqrt(2 ln n), below σ_c many keys share the
weight; above it a few take all of it, and their weights follow a Poisson-Dirichlet law with one
parameter m = σ_c/σ (Derrida 1981; Mézard & Montanari 2009, chapter 5). At finite n the parameter
m = n φ(b)/σ with b = Φ⁻¹(1 - 1/n), the rate at which the largest of n normal variables grows
sparse, is closer. Both are statements about large n: near σ_c, and for n below a hundred or so,
they are rough, and the course measures how rough.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from attn_helpers.checks import FloatArray, positive, several_keys

_ASYMPTOTIC = 8.0
# |B_2k|/2k for k = 6 … 1: the terms of the digamma series, whose signs alternate.
_BERNOULLI = (691 / 32760, 1 / 132, 1 / 240, 1 / 252, 1 / 120, 1 / 12)


def critical_std(n: int) -> float:
    """Return σ_c = sqrt(2 ln n), where a softmax over normal logits freezes.

    Derrida (1981), "Random-energy model: an exactly solvable model of disordered systems", Phys.
    Rev. B 24(5).

    Parameters
    ----------
    n : int
        Keys in a row, at least 2.

    Returns
    -------
    float
        A standard deviation of logits.

    Examples
    --------
    >>> round(critical_std(1024), 3)
    3.723
    """
    return math.sqrt(2 * math.log(several_keys(n)))


def frozen_parameter(n: int, std: float) -> float:
    """Return m > 0 at `n` keys: below 1 the softmax is frozen, and 1 - m is the mean of Σp².

    m = n φ(b)/σ with b = Φ⁻¹(1 - 1/n) and σ = `std`, the logits' standard deviation; it tends to
    sqrt(2 ln n)/σ from below as n grows. The largest logits are a Poisson process whose density
    falls as exp(-z n φ(b)/σ); exponentiating it gives the Poisson-Dirichlet law.

    >>> round(frozen_parameter(1024, std=2 * critical_std(1024)), 3)
    0.453
    """
    normal = NormalDist()
    slope = several_keys(n) * normal.pdf(normal.inv_cdf(1 / n))  # φ(b) = φ(-b)
    return slope / positive(std, "std")


def predicted_participation(n: int, std: float) -> float:
    """Return the random energy model's mean of Σp², the inverse of the effective keys.

    Mézard & Montanari (2009), *Information, Physics, and Computation*, chapter 5.

    Parameters
    ----------
    n : int
        Keys in a row, at least 2.
    std : float
        σ > 0, the standard deviation of the logits.

    Returns
    -------
    float
        exp(σ²)/n below σ_c/2, 1 - m when m < 1, and NaN between the two, where neither is used.

    Examples
    --------
    >>> round(predicted_participation(1024, std=1.0), 5)
    0.00265
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n) / 2:
        return math.exp(std**2) / n
    return 1 - m if m < 1 else math.nan


def predicted_entropy(n: int, std: float) -> float:
    """Return the random energy model's mean entropy of the weights.

    The free energy gives ln n - σ²/2 below σ_c; above it stands the mean entropy of the
    Poisson-Dirichlet law, ψ(1) - ψ(1 - m), with ψ the digamma function, but never more than ln n.

    Parameters
    ----------
    n : int
        Keys in a row, at least 2.
    std : float
        σ > 0, the standard deviation of the logits.

    Returns
    -------
    float
        In nats; NaN where σ is above σ_c and m is not yet below 1.

    Examples
    --------
    >>> round(predicted_entropy(1024, std=1.0), 3)
    6.431
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n):
        return math.log(n) - std**2 / 2
    return min(math.log(n), _digamma(1.0) - _digamma(1 - m)) if m < 1 else math.nan


def _digamma(x: float) -> float:
    """ψ(x) for x > 0: step up to where the asymptotic series is exact to rounding, DLMF 5.11.2."""
    value = 0.0
    while x < _ASYMPTOTIC:
        value -= 1 / x
        x += 1
    square, series = 1 / (x * x), 0.0
    for coefficient in _BERNOULLI:
        series = square * (coefficient - series)
    return value + math.log(x) - 0.5 / x - series


_STEP = 1 / 64
_GRID = np.arange(-2560, 2561) * _STEP  # -40 … 40: the normal density is 0 beyond, to rounding
_PDF = np.exp(-(_GRID**2) / 2) / math.sqrt(2 * math.pi)
_TAIL = np.array([math.erfc(x / math.sqrt(2)) / 2 for x in _GRID.tolist()])  # P(Z > x)


def expected_maximum(n: int) -> float:
    """Return the mean of the largest of independent standard normal variables.

    ∫ x n φ(x) Φ(x)^(n-1) dx: David & Nagaraja (2003), *Order Statistics*, section 3.1.

    Parameters
    ----------
    n : int
        How many, at least 2.

    Returns
    -------
    float
        In standard deviations; always below sqrt(2 ln n).

    Examples
    --------
    >>> round(expected_maximum(1024), 3), round(critical_std(1024), 3)
    (3.248, 3.723)
    """
    return float(_STEP * np.sum(_GRID * several_keys(n) * _PDF * _all_below(n - 1, _TAIL)))


def expected_gap(n: int) -> float:
    """Return the mean distance from the largest of standard normal variables to the next.

    n ∫ Φ(x)^(n-1) (1 - Φ(x)) dx: the two largest lie on either side of x with probability n
    Φ(x)^(n-1) (1 - Φ(x)), and the length of their gap is the integral over all x between them
    (David & Nagaraja 2003, *Order Statistics*, section 3.1).

    Parameters
    ----------
    n : int
        How many, at least 2.

    Returns
    -------
    float
        In standard deviations; it falls with n, as slowly as 1/sqrt(2 ln n).

    Examples
    --------
    >>> round(expected_gap(2), 6), round(2 / math.sqrt(math.pi), 6)
    (1.128379, 1.128379)
    """
    return float(_STEP * np.sum(several_keys(n) * _all_below(n - 1, _TAIL) * _TAIL))


def _all_below(n: int, upper_tail: FloatArray) -> FloatArray:
    """(1 - upper tail)^n; far left, where the tail is 1, the power is 0."""
    with np.errstate(divide="ignore"):
        return np.exp(n * np.log1p(-upper_tail))
