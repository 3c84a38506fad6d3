"""What a handful of seeds says: mean, spread, and how sure one may be of the mean."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import as_real, first_index
from why_sqrt_d.experiments.store import Row

RESAMPLES = 10_000
STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "error": lambda array: array.std(ddof=1) / np.sqrt(array.size),  # of the mean
}


@dataclass(frozen=True)
class Summary:
    """Statistics of one number over seeds."""

    n: int  #: how many seeds
    mean: float
    std: float  #: with n - 1; NaN for one seed
    median: float
    smallest: float
    largest: float
    low: float  #: of the 95 % percentile bootstrap interval of the mean
    high: float


def summarise(values: ArrayLike, seed: int = 0) -> Summary:
    """Return the statistics of `values`, one number a seed; `seed` is that of the resamples.

    Efron & Tibshirani (1993), *An Introduction to the Bootstrap*, section 13.3: with few seeds
    the percentile interval is somewhat too narrow; every point is drawn beside it for that.

    >>> found = summarise([0.2, 0.9, 1.0, 0.95])
    >>> found.n, round(found.mean, 4), round(found.median, 3)
    (4, 0.7625, 0.925)
    """
    array = np.atleast_1d(as_real(values, "values")).ravel()
    if not array.size:
        raise ValueError("values are empty; a summary needs at least one seed")
    if not np.isfinite(array).all():
        index = first_index(~np.isfinite(array))[0]
        raise ValueError(f"values[{index}] is {array[index]}; every run must have a result")
    picks = np.random.default_rng(seed).integers(array.size, size=(RESAMPLES, array.size))
    low, high = np.quantile(array[picks].mean(axis=1), (0.025, 0.975))
    return Summary(
        n=array.size,
        mean=float(array.mean()),
        std=float(array.std(ddof=1)) if array.size > 1 else float("nan"),
        median=float(np.median(array)),
        smallest=float(array.min()),
        largest=float(array.max()),
        low=float(low),
        high=float(high),
    )


def statistics(values: ArrayLike, **wanted: str) -> dict[str, float]:
    """Return statistics of numbers, each under the name that asks for it.

    Examples
    --------
    >>> statistics([1, 2, 6], typical="median", worst="max")
    {'typical': 2.0, 'worst': 6}
    """
    array = np.asarray(values)
    return {name: STATISTICS[which](array).item() for name, which in wanted.items()}


def per_cent(shares: ArrayLike, **wanted: str) -> dict[str, float]:
    """Return `statistics` of shares, in per cent."""
    return {name: 100 * value for name, value in statistics(shares, **wanted).items()}


def select(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """Return the stored `rows` with these `settings`, in order; KeyError if there is none.

    >>> select([{"d": 4, "seed": 0}, {"d": 8, "seed": 0}], d=8)
    [{'d': 8, 'seed': 0}]
    """
    found = [row for row in rows if settings.items() <= row.items()]
    if not found:
        wanted = ", ".join(f"{key} = {value!r}" for key, value in settings.items())
        raise KeyError(f"no stored row has {wanted}")
    return found
