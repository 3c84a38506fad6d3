"""Two experiments of chapter 6: the weight of a needle, and the scale that a length asks for."""

import numpy as np

from attn_helpers.needle import simulate_needle
from research.experiments.definition import Experiment
from why_sqrt_d.ch6.lengths import half_scale
from why_sqrt_d.ch6.stored_runs import GEOMETRIES, LENGTHS, SCALES, draw_rows
from why_sqrt_d.digits import short


def run_one(*, n: int, margin: float, seed: int) -> dict[str, float | list[float]]:
    """Return the needle's weight at all SCALES: mean, standard error and median over rows.

    There are `n` other keys, `margin` is the needle's score in standard deviations of the others,
    and scales are in units of 1/sqrt(d). Between 64 and 2000 rows, fewer when `n` is large.
    """
    rows = min(2000, max(64, 2**24 // n))
    rng = np.random.default_rng([seed, n])
    weights = simulate_needle(SCALES, margin, n, rows, rng)
    return {
        "rows": float(rows),
        "mean": short(weights.mean(axis=0)),
        "se": short(weights.std(axis=0, ddof=1) / np.sqrt(rows)),
        "median": short(np.median(weights, axis=0)),
    }


def half_scales(*, geometry: str, n: int, seed: int) -> dict[str, float | list[float]]:
    """Return quartiles of the scale b that gives the best of `n` keys half of the weight.

    The scale is in units of 1/sqrt(d); 200 rows a seed.
    """
    rows, scales = 200, []
    rng = np.random.default_rng([5, seed, n])
    for _ in range(0, rows, 50):
        scales.append(half_scale(draw_rows(geometry, n, 50, rng)))
    return {"rows": float(rows), "quartiles": short(np.quantile(scales, [0.25, 0.5, 0.75]))}


EXPERIMENTS = (
    Experiment(
        name="lengths",
        purpose="scale that gives the best of n keys half of the weight, by geometry and n",
        rows=[{"geometry": g, "n": n} for n in LENGTHS for g in GEOMETRIES],
        seeds=10,
        run=half_scales,
        cost=lambda settings: float(max(settings["n"], 2**11)),
    ),
    Experiment(
        name="needle",
        purpose="weight of one matching key among n random ones, by scale, margin and n",
        rows=[{"n": 2**power, "margin": m} for power in range(2, 21, 2) for m in (3.0, 5.0)],
        seeds=20,
        run=run_one,
        cost=lambda settings: float(max(settings["n"], 2**13)),
    ),
)
