"""Two experiments of chapter 6: the weight of a needle, and the scale that a length asks for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from attn_helpers.needle import simulate_needle
from why_sqrt_d.ch6.lengths import (
    clustered_law,
    clustered_rows,
    gaussian_law,
    half_scale,
    spherical_law,
    spherical_rows,
)
from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.digits import short

SCALES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0)


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


#: A name for each geometry, with its dimension and the overlap of its keys where it has them.
GEOMETRIES = {
    "Gaussian": (0, 0.0),
    "sphere, d = 3": (3, 0.0),
    "sphere, d = 5": (5, 0.0),
    "sphere, d = 9": (9, 0.0),
    "sphere, d = 64": (64, 0.0),
    "cluster, d = 64, ρ = 0.5": (64, 0.5),
    "cluster, d = 1024, ρ = 0": (1024, 0.0),
    "cluster, d = 1024, ρ = 0.5": (1024, 0.5),
    "cluster, d = 1024, ρ = 0.9": (1024, 0.9),
}
LENGTHS = tuple(2**power for power in range(4, 17, 2))


def draw_rows(geometry: str, n: int, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return scores (rows, n) of one of the GEOMETRIES, in units of sqrt(d)."""
    d, overlap = GEOMETRIES[geometry]
    if geometry.startswith("sphere"):
        return spherical_rows(n, rows, d, rng)
    if geometry.startswith("cluster"):
        return clustered_rows(n, rows, d, overlap, rng)
    return rng.standard_normal((rows, n))


def half_scales(*, geometry: str, n: int, seed: int) -> dict[str, float | list[float]]:
    """Return quartiles of the scale b that gives the best of `n` keys half of the weight.

    The scale is in units of 1/sqrt(d); 200 rows a seed.
    """
    rows, found = 200, []
    rng = np.random.default_rng([5, seed, n])
    for _ in range(0, rows, 50):
        found.append(half_scale(draw_rows(geometry, n, 50, rng)))
    return {"rows": float(rows), "quartiles": short(np.quantile(found, [0.25, 0.5, 0.75]))}


def medians(rows: Sequence[Mapping[str, Any]], geometry: str) -> FloatArray:
    """Return the stored half scale b (LENGTHS, seeds) of a geometry's typical row."""
    found = [
        [row["quartiles"][1] for row in rows if (row["geometry"], row["n"]) == (geometry, n)]
        for n in LENGTHS
    ]
    return np.array(found)


def laws() -> dict[str, FloatArray]:
    """Return what is predicted of the half scale (LENGTHS,), by geometry.

    Spheres of fixed d have a power of n with the constant of large n, which no length here shows
    at d = 64.
    """
    found = {"Gaussian": np.array([gaussian_law(n) for n in LENGTHS])}
    for geometry, (d, overlap) in GEOMETRIES.items():
        if geometry.startswith("cluster"):
            found[geometry] = np.array([clustered_law(n, d, overlap) for n in LENGTHS])
        elif geometry.startswith("sphere") and d < 64:
            found[geometry] = np.array([spherical_law(n, d) for n in LENGTHS])
    return found


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
