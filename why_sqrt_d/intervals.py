"""Intervals from a few runs: of their mean, of one run more, and the chance of a rank."""

from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from why_sqrt_d.digits import true_minus

# Student's t: what 1, 2, … 19 degrees of freedom exceed in one case of forty.
_T: tuple[float, ...] = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912)
_T += (2.364624, 2.306004, 2.262157, 2.228139, 2.200985, 2.178813, 2.160369)
_T += (2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024)


class Interval(NamedTuple):
    """A value, and the ends of its 95 % interval, in the value's unit."""

    value: float
    low: float
    high: float

    def text(self, form: str) -> str:
        """Return it as a page shows it, each number in a form such as ".2f".

        >>> Interval(0.5, -0.25, 1).text(".2f")
        '0.50 (−0.25 to 1.00)'
        """
        return true_minus(f"{self.value:{form}} ({self.low:{form}} to {self.high:{form}})")

    def __neg__(self) -> "Interval":
        """Return that of the value with the other sign, whose low end was the high one."""
        return Interval(-self.value, -self.high, -self.low)


def half_interval(values: ArrayLike) -> float:
    """Return half of the 95 % interval of the mean of 2 to 20 `values`, by Student's t.

    >>> round(half_interval([1, 2, 3]), 3)
    2.484
    """
    x = np.asarray(values, dtype=float)
    return float(_T[x.size - 2] * x.std(ddof=1) / np.sqrt(x.size))


def mean_interval(values: ArrayLike) -> Interval:
    """Return the mean of 2 to 20 `values` with its 95 % interval, by Student's t.

    >>> mean_interval([1, 2, 3]).text(".1f")
    '2.0 (−0.5 to 4.5)'
    """
    mean, half = float(np.asarray(values).mean()), half_interval(values)
    return Interval(mean, mean - half, mean + half)


@cache
def resamples(size: int) -> FloatArray:
    """Return (size, 10 000) shares with which each bootstrap resample takes each of them."""
    rng = np.random.default_rng(0)
    return rng.multinomial(size, np.ones(size) / size, size=10_000).T / size


def bootstrap_interval(values: ArrayLike) -> Interval:
    """Return the mean of the values, with its 95 % percentile bootstrap interval."""
    x = np.asarray(values, dtype=float)
    low, high = np.percentile(x @ resamples(x.size), [2.5, 97.5])
    return Interval(float(x.mean()), float(low), float(high))


def next_run(accuracies: ArrayLike, places: int) -> tuple[float, float]:
    """Return the interval in which one more run ends in 95 cases of 100.

    Student's prediction interval, on the log-odds of the 2 to 20 `accuracies`, which must make
    one heap there; `places` are the answers that one accuracy counts, so that 0 and 1 have
    finite odds.

    >>> low, high = next_run([0.2, 0.3, 0.25, 0.22], places=100)
    >>> round(low, 2), round(high, 2)
    (0.12, 0.42)
    """
    right = np.asarray(accuracies, dtype=float) * places
    odds = np.log((right + 0.5) / (places - right + 0.5))
    away = _T[odds.size - 2] * odds.std(ddof=1) * np.sqrt(1 + 1 / odds.size)
    low, high = 1 / (1 + np.exp(-np.array([odds.mean() - away, odds.mean() + away])))
    return float(low), float(high)


def rank_chance(total: float, sizes: Sequence[int]) -> float:
    """Return the probability that ranks, each among so many runs, add up to `total` or less.

    A rank is 0, 1, … to the number of runs, each as likely, as for one run more of the same kind;
    half a rank, from a tie, is rounded up.

    >>> rank_chance(1, [2, 2])  # 0 + 0, 0 + 1 or 1 + 0, of nine
    0.3333333333333333
    """
    chances = np.ones(1)
    for size in sizes:
        chances = np.convolve(chances, np.full(size + 1, 1 / (size + 1)))
    return float(chances[: ceil(total) + 1].sum())
