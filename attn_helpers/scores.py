"""The score s = q·k: its moments, and its statistics from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import as_real


class Moments(NamedTuple):
    """Mean, variance and kurtosis of a score.

    Kurtosis is E[(s - E s)⁴] / Var(s)²: 3 for a Gaussian, not 0. NaN where the variance is zero,
    None where no closed form is given.
    """

    mean: float
    variance: float
    kurtosis: float | None


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
