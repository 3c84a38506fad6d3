"""The numbers that chapter 5 and its deeper pages quote, one function a section."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import critical_std
from attn_helpers._checks import FloatArray
from attn_helpers.extremes import needle_weight, qk_norm_capacity
from attn_helpers.needle import (
    draw_needle_rows,
    match_capacity,
    simulate_needle,
    sufficient_scale,
)
from attn_helpers.scales import SoftCap
from attn_helpers.temperature import learn_scale
from why_sqrt_d.ch5.experiment import GEOMETRIES, LENGTHS, SCALES, draw_rows
from why_sqrt_d.ch5.lengths import (
    HALF,
    clustered_law,
    competitors,
    gaussian_law,
    half_scale,
    spherical_law,
    spherical_power,
)
from why_sqrt_d.experiments.summary import statistics

Rows = Sequence[Mapping[str, Any]]


#: How the puzzle's needle stands out: three quarters of a query at d = 64, in units of √d.
PUZZLE = 0.75 * 8
SIZES = tuple(2**power for power in range(4, 21, 2))


def lost_needle() -> dict[str, FloatArray]:
    """Return the puzzle's weights (sizes, 40 rows) under a fixed and a growing scale.

    Both see the same keys, 2⁴ to 2²⁰ of them.
    """
    found = []
    for n in SIZES:
        rng = np.random.default_rng([51, n])
        growing = np.log(n) / np.log(16)
        found.append(simulate_needle([1.0, growing], PUZZLE, n, 40, rng))
    fixed, grown = np.moveaxis(np.array(found), -1, 0)
    return {"β = 1/√d": fixed, "β = log₁₆ n /√d": grown}


def puzzle(found: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the needle's median weight under a fixed and a growing scale, and what would do.

    `found` holds weights (sizes, rows) among the SIZES; the worst is over the sizes.
    """
    fixed, growing = (np.median(rows, axis=-1) for rows in found.values())
    return {
        "fixed_16": fixed[0],
        "fixed_million": fixed[-1],
        "growing_worst": growing.min(),
        "enough_million": sufficient_scale(2**20, PUZZLE),
    }


def rows_that_find(
    n: Sequence[int], scales: Sequence[float]
) -> tuple[dict[int, FloatArray], dict[int, float]]:
    """Return the share of 2000 rows in which a needle at D = 3 has over half of the weight.

    For each number of others an array over the scales, and Φ(3)ⁿ, the most that a scale can do.
    """
    found = {}
    for others in n:
        rng = np.random.default_rng([60, others])
        weights = simulate_needle(scales, 3.0, others, 2000, rng)
        found[others] = np.mean(weights > 0.5, axis=0)
    return found, {others: NormalDist().cdf(3.0) ** others for others in n}


def too_small_too_large() -> dict[str, float]:
    """Return how many keys the puzzle's needle survives, and how needles fare among 1024 others.

    The border √(2 ln 1024); in how many % of rows a needle at D = 3.5 leads, and one at D = 3 not.
    """
    below = NormalDist().cdf
    return {
        "end_fixed": np.exp(PUZZLE - 0.5),
        "border_1024": critical_std(1024),
        "leads_1024": 100 * below(3.5) ** 1024,
        "lost_1024": 100 * (1 - below(3.0) ** 1024),
    }


def learned_scale(paths: FloatArray) -> dict[str, float]:
    """Return the learned b = β√d: over the last 200 steps, mean and error over the seeds.

    `paths` (seeds, steps + 1) hold b while it is learned.
    """
    last = paths[:, -200:].mean(axis=1)
    return statistics(last, learned="mean", learned_error="error")


def learn_five() -> FloatArray:
    """Return b = β√d of five runs that learn it, (5, 601): 64 keys, d = 64, a needle at D = 3.

    Every one of the 600 steps sees 256 fresh rows.
    """
    paths = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        batch = partial(draw_needle_rows, 3 / 8, 64, 64, 256, rng)
        paths.append(learn_scale(batch, start=1 / 8, steps=600, learning_rate=0.1))
    return 8 * np.array(paths)


def fresh_rows() -> tuple[FloatArray, NDArray[np.int64]]:
    """Return scores (20 000, 64) and targets (20 000,) that no run has seen."""
    return draw_needle_rows(3 / 8, 64, 64, 20_000, np.random.default_rng(53))


# ------------------------------------------------------------------------------------- length


def half_scale_of(rows: Rows, geometry: str) -> FloatArray:
    """Return the stored half scale b of a geometry's typical row for every number of keys.

    `rows` are those of the experiment "lengths"; a median over each seed's rows, averaged over
    the seeds.
    """
    return np.array(
        [
            np.mean([r["quartiles"][1] for r in rows if (r["geometry"], r["n"]) == (geometry, n)])
            for n in LENGTHS
        ]
    )


def half_scale_error(rows: Rows) -> float:
    """Return the largest standard error of a stored half scale, as a share of it."""
    shares = []
    for geometry in GEOMETRIES:
        for n in LENGTHS:
            cell = [r["quartiles"][1] for r in rows if (r["geometry"], r["n"]) == (geometry, n)]
            shares.append(np.std(cell, ddof=1) / np.sqrt(len(cell)) / np.mean(cell))
    return max(shares)


def laws() -> dict[str, FloatArray]:
    """Return what is predicted of the half scale for every number of keys, by geometry.

    Spheres of fixed d have a power of n with the constant of large n.
    """
    found = {"Gaussian": np.array([gaussian_law(n) for n in LENGTHS])}
    for geometry, (d, overlap) in GEOMETRIES.items():
        if geometry.startswith("cluster"):
            found[geometry] = np.array([clustered_law(n, d, overlap) for n in LENGTHS])
        elif geometry.startswith("sphere") and d < 64:
            found[geometry] = np.array([spherical_law(n, d) for n in LENGTHS])
    return found


def gap_counts(n: int, rows: int, seed: int) -> dict[str, tuple[FloatArray, FloatArray, float]]:
    """Return gaps (60,), competitors within them (60,), and the median half scale, by geometry.

    The gaps go up to twelve logits at the half scale.
    """
    found: dict[str, tuple[FloatArray, FloatArray, float]] = {}
    for geometry in ("Gaussian", "cluster, d = 64, ρ = 0.5", "sphere, d = 3"):
        drawn = draw_rows(geometry, n, rows, np.random.default_rng([seed, n]))
        scale = float(np.median(half_scale(drawn)))
        gap = np.linspace(0, 12, 61)[1:] / scale
        found[geometry] = (gap, competitors(drawn, gap), scale)
    return found


def grown(rows: Rows) -> dict[str, float]:
    """Return how much the half scale grows from 2⁸ to 2¹⁶ keys, and its largest error in %.

    And by (5.5) the same of a cluster with d = 64, ρ = 0.5.
    """
    first, last = LENGTHS.index(2**8), LENGTHS.index(2**16)
    at = {name: half_scale_of(rows, name) for name in GEOMETRIES}
    ratio = {name: values[last] / values[first] for name, values in at.items()}
    return {
        "grow_gaussian": ratio["Gaussian"],
        "grow_cluster": ratio["cluster, d = 64, ρ = 0.5"],
        "root_cluster": clustered_law(2**16, 64, 0.5) / clustered_law(2**8, 64, 0.5),
        "grow_sphere_3": ratio["sphere, d = 3"],
        "grow_sphere_64": ratio["sphere, d = 64"],
        "half_error": np.ceil(100 * half_scale_error(rows)),
        "capacity_64": qk_norm_capacity(64),
    }


def powers(rows: Rows) -> dict[str, float]:
    """Return Gaussian rows' power between the last two sizes, and the table's largest error."""
    medians = {(r["geometry"], r["n"], r["seed"]): r["quartiles"][1] for r in rows}
    seeds = sorted({r["seed"] for r in rows})

    def power(geometry: str, place: int) -> list[float]:
        low, high = LENGTHS[place - 1], LENGTHS[place]
        pairs = [(medians[geometry, low, s], medians[geometry, high, s]) for s in seeds]
        return [float(np.log(b / a) / np.log(high / low)) for a, b in pairs]

    last = len(LENGTHS) - 1
    errors = [
        np.std(power(f"sphere, d = {d}", place), ddof=1) / np.sqrt(len(seeds))
        for d in (3, 5, 9, 64)
        for place in (2, last)
    ]
    return {
        "power_gaussian": float(np.mean(power("Gaussian", last))),
        "power_error": float(np.ceil(100 * max(errors)) / 100),
    }


def power_table(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Return a table of the powers of n with which spheres' half scales grow, and of the law's."""
    lines = []
    for d in (3, 5, 9, 64):
        b = half_scale_of(rows, f"sphere, d = {d}")
        slopes = np.diff(np.log(b)) / np.diff(np.log(LENGTHS))
        lines.append(
            [f"{d}", f"{slopes[1]:.3f}", f"{slopes[-1]:.3f}", f"{spherical_power(d):.3f}"]
        )
    return ["d", "measured, 2⁶ to 2⁸", "measured, 2¹⁴ to 2¹⁶", "2/(d − 1)"], lines


def gaussian_table(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Return a table of Gaussian rows' half scale with its standard error, and of the law's."""
    cells = [
        [r["quartiles"][1] for r in rows if (r["geometry"], r["n"]) == ("Gaussian", n)]
        for n in LENGTHS
    ]
    measured = [f"{np.mean(b):.2f} ± {np.std(b, ddof=1) / np.sqrt(len(b)):.2f}" for b in cells]
    lines = zip(LENGTHS, measured, map(gaussian_law, LENGTHS), strict=True)
    return ["n", "measured", "λ/0.6034"], [[f"{n}", b, f"{law:.2f}"] for n, b, law in lines]


def cluster_table(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Return a table of b√d/ln n of clusters, times 1 − ρ, measured and by (5b.3)."""
    lines = []
    for geometry, (d, overlap) in GEOMETRIES.items():
        if geometry.startswith("cluster"):
            unit = np.sqrt(d) * (1 - overlap) / np.log(LENGTHS)
            b = half_scale_of(rows, geometry) * unit
            closed = np.array([clustered_law(n, d, overlap) for n in LENGTHS]) * unit
            ends = [f"{b[i]:.3f} ({closed[i]:.3f})" for i in (2, -1)]
            lines.append([f"{d}", f"{overlap:g}", *ends])
    return ["d", "ρ", "n = 2⁸", "n = 2¹⁶"], lines


def shape_table(
    seed: int, blocks: Sequence[int] = (64, 16, 8)
) -> tuple[list[str], list[list[str]]]:
    """Return a table of half scales of three made-up tails, and what is predicted.

    A score is h⁻¹(E) with E exponential, so that P(z > t) = exp(-h(t)). There are `blocks` of 50
    rows for each of three n.
    """
    tails: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
        "√(2E)": (lambda e: np.sqrt(2 * e), lambda log: np.sqrt(2 * log)),
        "ln E": (np.log, lambda log: log),
        "−1/E": (lambda e: -1 / e, lambda log: log**2),
    }
    rng = np.random.default_rng(seed)
    lines = []
    for name, (tail, slope) in tails.items():
        cells = []
        for n, count in zip((2**8, 2**12, 2**16), blocks, strict=True):
            rows = (half_scale(tail(rng.exponential(size=(50, n)))) for _ in range(count))
            b = np.median(np.concatenate([*rows]))
            cells.append(f"{b:.1f} ({slope(np.log(n)) / HALF:.1f})")
        lines.append([name, *cells])
    return ["z", "n = 2⁸", "n = 2¹²", "n = 2¹⁶"], lines


def over_seeds(
    rows: Rows, n: int, margin: float, what: str = "mean"
) -> tuple[FloatArray, FloatArray]:
    """Return stored weights averaged over the seeds, at each scale, and their standard error."""
    runs = [row[what] for row in rows if (row["n"], row["margin"]) == (n, margin)]
    return np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))


def how_far_below(rows: Rows) -> tuple[int, list[float]]:
    """Compare stored weights with the closed form, which is a lower bound.

    Return how many are below it by more than four standard errors, and, where the keys have not
    frozen (n ≥ 64, b up to half of √(2 ln n)), by which share each weight differs from it.
    """
    broken, apart = 0, []
    for n in sorted({row["n"] for row in rows}):
        for margin in (3.0, 5.0):
            for b, mean, error in zip(SCALES, *over_seeds(rows, n, margin), strict=True):
                bound = needle_weight(n, margin, b)
                broken += int(mean < bound - 4 * error - 1e-6)
                if n >= 64 and b <= critical_std(n) / 2:
                    apart.append(mean / bound - 1)
    return broken, apart


def survival(rows: Rows) -> dict[str, float]:
    """Return how a needle fares among 2²⁰ keys, and how large scales gamble among 2¹⁰.

    `rows` are the stored ones of the experiment "needle"; `worst_below` is in per cent, rounded
    up to a tenth, the losses' standard error rounded up to a hundredth.
    """
    _, apart = how_far_below(rows)
    at_3, at_5, at_12 = (SCALES.index(b) for b in (3.0, 5.0, 12.0))
    million, million_error = over_seeds(rows, 2**20, 5.0)
    gamble, median = (over_seeds(rows, 2**10, 3.0, what)[0] for what in ("mean", "median"))
    rng = np.random.default_rng(58)
    losses = -np.log(simulate_needle([3.0, 4.0, 12.0], 3.0, 2**10, 2000, rng))
    best = {n: best_for_certain(3.0, n, count) for n, count in ((16, 20_000), (2**16, 50))}
    return {
        "points": 2 * 12 * len({row["n"] for row in rows}),
        "worst_below": np.ceil(1000 * max(np.abs(apart))) / 10,
        "million_5": million[at_5],
        "million_5_error": million_error[at_5],
        "million_5_predicted": needle_weight(2**20, 5.0, 5.0),
        "million_12": million[at_12],
        "million_12_error": million_error[at_12],
        "gamble_mean": gamble[at_12],
        "gamble_median": median[at_12],
        "gamble_mean_3": gamble[at_3],
        "gamble_median_3": median[at_3],
        "gamble_loss_3": losses[:, 0].mean(),
        "gamble_loss_4": losses[:, 1].mean(),
        "gamble_loss_12": losses[:, 2].mean(),
        "gamble_loss_error": np.ceil(100 * losses.std(axis=0).max() / np.sqrt(2000)) / 100,
        "best_16": best[16],
        "best_65536": best[2**16],
        "border_16": critical_std(16),
        "border_65536": critical_std(2**16),
        "critical_million": critical_std(2**20),
    }


def best_for_certain(margin: float, n: int, rows: int) -> float:
    """Return the b of the least mean −ln w where the needle's score is always `margin`.

    Of 0.5, 0.75, …, 10, over so many rows of `n` others.
    """
    scales = np.arange(0.5, 10.1, 0.25)
    rng = np.random.default_rng([59, n])
    losses = -np.log(simulate_needle(list(scales), margin, n, rows, rng))
    return float(scales[losses.mean(axis=0).argmin()])


def growing_scale(margin: float) -> dict[str, float]:
    """Return up to how many keys a scale keeps a needle `margin` deviations above the others.

    By the bound at b = 1 and at log₁₆ n, by the bound at any b, and at any b at all; and the
    smallest sufficient b among 1024.
    """
    slope = 1 / np.log(16)
    return {
        "end_fixed": np.exp(margin - 0.5),
        "end_bound": np.exp(margin**2 / 2) / 1e6,
        "end_any": np.log(2) / NormalDist().cdf(-margin) / 1e6,
        "end_log": np.exp(2 * (slope * margin - 1) / slope**2) / 1e6,
        "needed_1024": sufficient_scale(1024, margin),
    }


def normalised_keys(rng: np.random.Generator) -> dict[str, float]:
    """Return how many normalised keys an exact match survives, and its weight at that number.

    The gain of Henry et al. (2020), log₂(L² − L), is divided by √64 for L = 1808.
    """
    at = 1808
    gain = np.log2(at**2 - at) / 8
    close = simulate_needle([1.0], 8.0, at, 100, rng, d=64)[:, 0]
    return {
        "capacity_64": qk_norm_capacity(64),
        "capacity_128": qk_norm_capacity(128) / 1000,
        **statistics(close, at_capacity="mean", at_capacity_error="error"),
        "henry_gain": gain,
        "henry_weight": 1 / (1 + at / match_capacity(64, gain)),
    }


def soft_caps(cap: SoftCap) -> dict[str, float]:
    """Return what a cap of 50 leaves of a margin of 10, low and high, and its slope at 100.

    And how many keys a leader at the cap survives: in thousands if all others sit at −5, and
    unrelated ones for caps of 5 and, in 10²¹, 50.
    """
    at_5, at_15, at_70, at_80 = cap(np.array([5.0, 15.0, 70.0, 80.0]))
    (slope_twice,) = cap.vjp(np.array([100.0]), np.ones(1))
    return {
        "margin_low": at_15 - at_5,
        "margin_high": at_80 - at_70,
        "slope_twice": slope_twice,
        "few_keys": np.exp(10) / 1000,
        "unrelated_5": np.exp(5 - 0.5),
        "unrelated_50": np.exp(50 - 0.5) / 1e21,
    }


def aligned_pairs(
    root: Mapping[str, FloatArray], linear: Mapping[str, FloatArray]
) -> dict[str, float]:
    """Return root mean square logits at d = 4096 under 1/√d and 1/d.

    Both map a correlation to an array over d, the largest last.
    """
    return {
        "aligned_root_4096": root["ρ = 0.5"][-1],
        "aligned_linear_4096": linear["ρ = 0.5"][-1],
        "start_root_4096": root["ρ = 0"][-1],
    }
