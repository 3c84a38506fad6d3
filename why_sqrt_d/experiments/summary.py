"""Choose among stored rows, and what a handful of seeds says."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from why_sqrt_d.experiments.store import Row

STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "error": lambda array: array.std(ddof=1) / np.sqrt(array.size),  # of the mean
}


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
