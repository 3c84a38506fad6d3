"""A trained model's best scale and its dearest head, and how sure some stories make us of them."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from why_sqrt_d.intervals import bootstrap_interval, resamples
from why_sqrt_d.rows import select, stored


def best(multipliers: ArrayLike, losses: ArrayLike) -> tuple[float, float, float]:
    """Return the multiplier of the lowest mean loss, and its 95 % bootstrap interval.

    `losses` are (multipliers, stories), the multipliers positive and rising. A parabola in ln m
    passes through the lowest mean and its two neighbours; a lowest mean at an end stays there.
    """
    x, log = np.asarray(losses, dtype=float), np.log(multipliers)
    found = np.exp(_lowest(log, x.mean(axis=1, keepdims=True)))[0]
    low, high = np.percentile(np.exp(_lowest(log, x @ resamples(x.shape[1]))), [2.5, 97.5])
    return float(found), float(low), float(high)


def _lowest(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the vertex of the parabola through each column's lowest point and its neighbours."""
    at = y.argmin(axis=0)
    middle, columns = at.clip(1, len(x) - 2), np.arange(y.shape[1])
    a, b, c = (x[middle + i] for i in (-1, 0, 1))
    fa, fb, fc = (y[middle + i, columns] for i in (-1, 0, 1))
    rise, fall = (b - a) * (fb - fc), (b - c) * (fb - fa)
    vertex = b - ((b - a) * rise - (b - c) * fall) / (2 * (rise - fall))
    return np.where(at == middle, vertex, x[at])


class Cost(NamedTuple):
    """By how many nats a token the loss rises without a head, with a 95 % bootstrap interval."""

    rise: float
    low: float
    high: float
    first: float  #: the share of resamplings in which no other head costs more


@cache
def costs() -> dict[tuple[int, int], Cost]:
    """Return the cost of each head on our stories, by layer and head, both counted from one."""
    [trained] = select(stored("stories_scale"), text="ours", layer=-1, multiplier=1)
    rows = [row for row in stored("stories_removed") if row["head"] >= 0]
    rises = np.array([row["losses"] for row in rows]) - trained["losses"]
    resampled = rises @ resamples(rises.shape[1])
    first = np.bincount(resampled.argmax(axis=0), minlength=len(rows)) / resampled.shape[1]
    return {
        (row["layer"] + 1, row["head"] + 1): Cost(*bootstrap_interval(rise), float(share))
        for row, rise, share in zip(rows, rises, first, strict=True)
    }
