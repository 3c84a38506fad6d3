"""Our stories' losses with a part of the model scaled or gone: best scales, the dearest head.

Layers and heads are counted from zero here, as in the stored rows; -1 is all of them.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from why_sqrt_d import stories
from why_sqrt_d.intervals import Interval, bootstrap_interval, resamples
from why_sqrt_d.rows import select, stored


def losses(layer: int = -1, head: int = -1) -> dict[float, FloatArray]:
    """Return the losses (stories,), in nats a token, at each multiplier of these logits."""
    scaled = select(stored("stories_scale"), text="ours")
    rows = select(scaled, layer=-1, multiplier=1) + select(scaled, layer=layer, head=head)
    found = {row["multiplier"]: np.array(row["losses"]) for row in rows}
    return {multiplier: found[multiplier] for multiplier in sorted(found)}


def rise_without(layer: int, head: int = -1) -> FloatArray:
    """Return how much higher the losses (stories,) are, in nats a token, without a head."""
    [row] = select(stored("stories_removed"), layer=layer, head=head)
    return row["losses"] - losses()[1]


def best_multiplier(layer: int = -1, head: int = -1) -> Interval:
    """Return the multiplier of these logits with the lowest mean loss: see `best`."""
    tried = {m: loss for m, loss in losses(layer, head).items() if m > 0}
    return best([*tried], [*tried.values()])


def best(multipliers: ArrayLike, losses: ArrayLike) -> Interval:
    """Return the multiplier of the lowest mean loss, with its 95 % bootstrap interval.

    `losses` are (multipliers, stories), the multipliers positive and rising. A parabola in ln m
    passes through the lowest mean and its two neighbours; a lowest mean at an end stays there.
    """
    x, log = np.asarray(losses, dtype=float), np.log(multipliers)
    found = np.exp(_lowest(log, x.mean(axis=1, keepdims=True)))[0]
    low, high = np.percentile(np.exp(_lowest(log, x @ resamples(x.shape[1]))), [2.5, 97.5])
    return Interval(float(found), float(low), float(high))


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
    places = [*np.ndindex(stories.LAYERS, stories.HEADS)]
    rises = np.array([rise_without(*at) for at in places])
    resampled = rises @ resamples(rises.shape[1])
    first = np.bincount(resampled.argmax(axis=0), minlength=len(places)) / resampled.shape[1]
    return {
        (layer + 1, head + 1): Cost(*bootstrap_interval(rise), float(share))
        for (layer, head), rise, share in zip(places, rises, first, strict=True)
    }
