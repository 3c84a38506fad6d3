"""The weight of a needle among 2² to 2²⁰ keys, at several scales and margins (chapter 5)."""

from collections.abc import Sequence

import numpy as np

from attn_helpers.needle import simulate_needle
from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.digits import short

SCALES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0)


def run_one(
    *, n: int, margin: float, seed: int, scales: Sequence[float] = SCALES
) -> dict[str, float | list[float]]:
    """Return the needle's weight at every scale: mean, standard error and median over rows.

    There are `n` other keys, `margin` is the needle's score in standard deviations of the others,
    and `scales` are in units of 1/sqrt(d). Between 64 and 2000 rows, fewer when `n` is large.
    """
    rows = min(2000, max(64, 2**24 // n))
    rng = np.random.default_rng([seed, n])
    weights = simulate_needle(scales, margin, n, rows, rng)
    return {
        "rows": float(rows),
        "mean": short(weights.mean(axis=0)),
        "se": short(weights.std(axis=0, ddof=1) / np.sqrt(rows)),
        "median": short(np.median(weights, axis=0)),
    }


EXPERIMENTS = (
    Experiment(
        name="needle",
        purpose="weight of one matching key among n random ones, by scale, margin and n",
        rows=[{"n": 2**power, "margin": m} for power in range(2, 21, 2) for m in (3.0, 5.0)],
        seeds=20,
        run=run_one,
        cost=lambda settings: float(max(settings["n"], 2**13)),
    ),
)
