"""Chapter 5's stored rows of one trained head: learning curves, and the best rates.

A learning curve is a list of errors, each the mean over a window of 20 steps.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.rows import Row, select

Rows = Sequence[Row]
Setting = tuple[int, str, str]  #: d, optimiser, and where the scale lives

DIMENSIONS = (16, 64, 256)
RATES = {"adam": (0.001, 0.003, 0.01, 0.03, 0.1), "sgd": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}
PLACES = ("in β", "in W_q", "nowhere", "β = 1/d")
_OF_POWER = {0.5: "in β", 0.0: "nowhere", 1.0: "β = 1/d"}  # of p in β = d^-p


def places(ablation: Rows, folded: Rows) -> list[Row]:
    """Join "scaling_ablation" and "folded_scale"; every row says where its scale lives."""
    beside = [{**row, "place": _OF_POWER[row["power"]]} for row in ablation]
    return beside + [{**row, "place": "in W_q"} for row in folded]


def curves(rows: Rows, **wanted: Any) -> Float64Array:
    """Return the learning curves of the runs with these settings: (seeds, windows)."""
    return np.array([row["losses"] for row in select(rows, **wanted)])


def chosen_rates(rows: Rows, **wanted: Any) -> list[float]:
    """Return for each seed the rate at which the other seeds end with the least median error."""
    rates = RATES[wanted["optimiser"]]
    ends = np.array([final(curves(rows, rate=rate, **wanted)) for rate in rates])
    others = [np.median(np.delete(ends, seed, axis=1), axis=1) for seed in range(ends.shape[1])]
    return [rates[int(errors.argmin())] for errors in others]


def tuned_curves(rows: Rows) -> dict[Setting, Float64Array]:
    """Return each seed's curve at its `chosen_rates`, for every setting of `places`."""
    tuned = {}
    for d, optimiser, place in product(DIMENSIONS, RATES, PLACES):
        wanted = {"d": d, "optimiser": optimiser, "place": place}
        tuned[d, optimiser, place] = np.array(
            [
                curves(rows, rate=rate, seed=seed, **wanted)[0]
                for seed, rate in enumerate(chosen_rates(rows, **wanted))
            ]
        )
    return tuned


def final(losses: Float64Array) -> Float64Array:
    """Return each seed's mean error over the last hundred steps: (seeds,)."""
    return losses[:, -5:].mean(axis=1)


def largest_rate(rows: Rows, **wanted: Any) -> float:
    """Return the largest learning rate at which the median seed ends below answering zero."""
    rates = RATES[wanted["optimiser"]]
    return max(r for r in rates if np.median(curves(rows, rate=r, **wanted)[:, -1]) < 1)
