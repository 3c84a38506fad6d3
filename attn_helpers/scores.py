"""The score s = q·k: its moments in closed form, and its statistics from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import as_real, positive_int


class Moments(NamedTuple):
    """Mean, variance and kurtosis of a score.

    Kurtosis is E[(s - E s)⁴] / Var(s)²: 3 for a Gaussian, not 0. NaN where the variance is zero,
    None where no closed form is given.
    """

    mean: float
    variance: float
    kurtosis: float | None


@dataclass(frozen=True)
class Component:
    """What the moments of a score need of one component.

    Parameters
    ----------
    mean, variance : float
        Of the component.
    third, fourth : float
        Its central moments.
    """

    mean: float
    variance: float
    third: float
    fourth: float


def independent_score_moments(query: Component, key: Component, d: int) -> Moments:
    """Return the moments of q·k when all 2d components are independent.

    With a = E q_i and b = E k_i: mean d·a·b, variance d(σq²σk² + σq²b² + σk²a²), kurtosis 3 + (κ -
    3)/d where κ is the kurtosis of q_i k_i. Goodman (1960), "On the Exact Variance of Products",
    JASA 55(292), for the variance of one product. The fourth moment expands the centred product
    a·v + b·u + u·v, where u and v are the centred components: no term is a difference of large
    numbers.

    Parameters
    ----------
    query, key : Component
        The laws of every component of q and of k.
    d : int
        Head dimension.

    Returns
    -------
    Moments
        Of the score q·k.

    Examples
    --------
    >>> standard_normal = Component(mean=0.0, variance=1.0, third=0.0, fourth=3.0)
    >>> independent_score_moments(standard_normal, standard_normal, d=64)
    Moments(mean=0.0, variance=64.0, kurtosis=3.09375)
    """
    d = positive_int(d, "d")
    a, b = query.mean, key.mean
    variance = query.variance * key.variance + query.variance * b**2 + key.variance * a**2
    u = (1.0, 0.0, query.variance, query.third, query.fourth)
    v = (1.0, 0.0, key.variance, key.third, key.fourth)
    fourth = 0.0
    for i in range(5):  # (a·v)^i (b·u)^j (u·v)^m with i + j + m = 4
        for j in range(5 - i):
            m = 4 - i - j
            ways = factorial(4) // (factorial(i) * factorial(j) * factorial(m))
            fourth += ways * a**i * b**j * u[j + m] * v[i + m]
    kurtosis = 3 + (fourth / variance**2 - 3) / d if variance else nan
    return Moments(d * a * b, d * variance, kurtosis)


@dataclass(frozen=True)
class ScoreStatistics:
    """Statistics of a sample of scores with standard errors (see `score_statistics`)."""

    mean: float
    variance: float
    kurtosis: float
    mean_se: float
    variance_se: float
    count: int


def score_statistics(scores: ArrayLike) -> ScoreStatistics:
    """Return mean, variance and kurtosis of independent scores, with standard errors.

    The variance is the unbiased one (divisor count - 1); the kurtosis is m4/m2², 3 for a Gaussian
    (NaN if all scores are equal). ``mean_se`` is sqrt(variance/count); ``variance_se`` comes from
    the fourth moment, Var(s²) = (m4 - m2² (count - 3)/(count - 1)) / count: Mood, Graybill & Boes
    (1974), *Introduction to the Theory of Statistics*, chapter VI.

    Parameters
    ----------
    scores : array_like
        At least two, any shape.

    Returns
    -------
    ScoreStatistics
        Computed in float64.

    Examples
    --------
    >>> score_statistics([-1.0, 1.0, -1.0, 1.0]).kurtosis
    1.0
    """
    s = as_real(scores, "scores").astype(np.float64).ravel()
    count = s.size
    if count < 2:
        raise ValueError(f"score_statistics needs at least 2 scores, got {count}")
    mean = float(s.mean())
    s -= mean
    np.square(s, out=s)
    second = float(s.mean())
    fourth = float(np.dot(s, s)) / count
    variance = second * count / (count - 1)
    spread = fourth - second**2 * (count - 3) / (count - 1)
    return ScoreStatistics(
        mean=mean,
        variance=variance,
        kurtosis=fourth / second**2 if second else nan,
        mean_se=sqrt(variance / count),
        variance_se=sqrt(max(spread, 0.0) / count),
        count=count,
    )
