"""Chapter 6's stored rows: the needle's scales, and how each geometry's scale grows with n."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.ch6.lengths import (
    clustered_law,
    clustered_rows,
    gaussian_law,
    spherical_law,
    spherical_rows,
)

#: Of the experiment "needle", in units of 1/sqrt(d).
SCALES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0)
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


def medians(rows: Sequence[Mapping[str, Any]], geometry: str) -> FloatArray:
    """Return the stored half scale b (LENGTHS, seeds) of a geometry's typical row."""
    of_seeds = [
        [row["quartiles"][1] for row in rows if (row["geometry"], row["n"]) == (geometry, n)]
        for n in LENGTHS
    ]
    return np.array(of_seeds)


def laws() -> dict[str, FloatArray]:
    """Return what is predicted of the half scale (LENGTHS,), by geometry.

    Spheres of fixed d have a power of n with the constant of large n, which no length here shows
    at d = 64.
    """
    predicted = {"Gaussian": np.array([gaussian_law(n) for n in LENGTHS])}
    for geometry, (d, overlap) in GEOMETRIES.items():
        if geometry.startswith("cluster"):
            predicted[geometry] = np.array([clustered_law(n, d, overlap) for n in LENGTHS])
        elif geometry.startswith("sphere") and d < 64:
            predicted[geometry] = np.array([spherical_law(n, d) for n in LENGTHS])
    return predicted
