"""The numbers that chapter 5 and its deeper pages quote, one function a section."""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import critical_std
from attn_helpers.checks import FloatArray
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
    Tail,
    clustered_law,
    competitors,
    gaussian_law,
    half_scale,
    normal_tail,
    spherical_law,
    spherical_power,
    spherical_tail,
    top_rows,
)
from why_sqrt_d.experiments.summary import statistics
from why_sqrt_d.pictures.style import thousands

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


def median_half_scale(tail: Tail, n: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the half scale b of the typical row with this tail, and its standard error.

    Medians of 20 times 1000 rows, averaged.
    """
    found = [np.median(half_scale(*top_rows(tail, n, 1000, rng))) for _ in range(20)]
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(len(found)))


def gaussian_table(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return a table of Gaussian rows' half scale with its standard error, and of the law's."""
    rng = np.random.default_rng(seed)
    lines = []
    for n in LENGTHS:
        b, error = median_half_scale(normal_tail, n, rng)
        law = gaussian_law(n)
        lines.append(
            [thousands(n), f"{b:.2f} ± {error:.2f}", f"{law:.2f}", f"{100 * (law / b - 1):.0f} %"]
        )
    return ["n", "measured", "λ/0.6034", "too large by"], lines


#: The sizes between which spheres' powers are measured: two short steps and two long ones.
STEPS = (2**6, 2**8, 2**14, 2**16)


def spherical_medians(seed: int) -> dict[str, FloatArray]:
    """Return the half scale at the STEPS and its standard error, (4, 2), by the dimension d.

    The last dimension is infinite: there √d·cos is a normal number.
    """
    rng = np.random.default_rng(seed)
    tails = {f"{d}": spherical_tail(d) for d in (3, 5, 9, 64)} | {"∞": normal_tail}
    return {d: np.array([median_half_scale(h, n, rng) for n in STEPS]) for d, h in tails.items()}


def power_table(found: Mapping[str, FloatArray]) -> tuple[list[str], list[list[str]]]:
    """Return a table of the powers of n with which `spherical_medians` grow, and of the law's."""
    lines = []
    for d, b in found.items():
        powers = np.diff(np.log(b[:, 0])) / np.diff(np.log(STEPS))
        law = 0.0 if d == "∞" else spherical_power(int(d))
        lines.append([d, *(f"{power:.2f}" for power in (powers[0], powers[-1], law))])
    return ["d", "2⁶ to 2⁸", "2¹⁴ to 2¹⁶", "2/(d − 1)"], lines


def powers(found: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the table's largest standard error, and how d = 64 grows from 2⁸ to 2¹⁶ keys."""
    shares = [b[:, 1] / b[:, 0] for b in found.values()]
    pairs = [np.hypot(s[k], s[k + 1]) / np.log(4) for s in shares for k in (0, 2)]
    b = found["64"][:, 0]
    return {"power_error": np.ceil(100 * max(pairs)) / 100, "grow_sphere_64": b[3] / b[1]}


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


def shape_table(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return by how many per cent three made-up tails' half scales fall short of the limit's.

    In brackets h''/h'², by which the limit is expected to come in. A score is h⁻¹(E) with E
    exponential, so that P(z > t) = exp(-h(t)).
    """
    tails: dict[str, tuple[Tail, Tail, float]] = {  # h⁻¹, h' where h = ln n, and h''/h'²·ln n
        "√(2E)": (lambda e: np.sqrt(2 * e), lambda log: np.sqrt(2 * log), 0.5),
        "ln E": (np.log, lambda log: log, 1),
        "−1/E": (lambda e: -1 / e, lambda log: log**2, 2),
    }
    rng = np.random.default_rng(seed)
    lines = []
    for name, (tail, slope, bend) in tails.items():
        cells = []
        for n in (2**8, 2**12, 2**16):
            short = 1 - median_half_scale(tail, n, rng)[0] * HALF / slope(np.log(n))
            cells.append(f"{100 * short:.0f} ({100 * bend / np.log(n):.0f})")
        lines.append([name, *cells])
    return ["z", "n = 2⁸", "n = 2¹²", "n = 2¹⁶"], lines


def held_entropy(n: int, target: float, rng: np.random.Generator) -> dict[str, float]:
    """Return the mean entropy of normal rows at two scales b, and the b that holds `target`.

    At b = 1 and at √(2 (ln n − target)), which is returned as `root`; 4000 rows.
    """
    z, many = top_rows(normal_tail, n, 4000, rng)

    def entropy(b: float) -> float:
        terms = many * np.exp(b * (z - z[:, :1]))
        whole = terms.sum(axis=-1)
        gaps = (terms * (z[:, :1] - z)).sum(axis=-1) / whole
        return float(np.mean(np.log(whole) + b * gaps))

    root = float(np.sqrt(2 * (np.log(n) - target)))
    low, high = 0.0, 2 * root
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > target else (low, middle)
    return {"fixed": entropy(1.0), "root": root, "at_root": entropy(root), "holds": high}


def entropy_table(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return a table of `held_entropy` for the entropy of 100 even weights."""
    rng = np.random.default_rng(seed)
    lines = []
    for n in (2**8, 2**12, 2**16):
        found = held_entropy(n, float(np.log(100)), rng)
        lines.append([thousands(n), *(f"{value:.2f}" for value in found.values())])
    return ["n", "H at b = 1", "root", "H at the root", "b that holds H₀"], lines


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
    """Return how the bound on a needle's weight does, and how a needle fares among 2²⁰ keys.

    `rows` are the stored ones of the experiment "needle"; `worst_below` is in per cent, rounded
    up to a tenth; `leads_million` is the share of rows in which the needle at D = 5 leads.
    """
    _, apart = how_far_below(rows)
    at_5 = SCALES.index(5.0)
    million, million_error = over_seeds(rows, 2**20, 5.0)
    return {
        "points": 2 * len(SCALES) * len({row["n"] for row in rows}),
        "worst_below": np.ceil(1000 * max(np.abs(apart))) / 10,
        "million_5": million[at_5],
        "million_5_error": million_error[at_5],
        "million_5_predicted": needle_weight(2**20, 5.0, 5.0),
        "leads_million": NormalDist().cdf(5.0) ** 2**20,
        "critical_million": critical_std(2**20),
    }


def certain_needle(n: int, margin: float, scales: Sequence[float], seed: int) -> FloatArray:
    """Return the weight (20 000, len(scales)) of a needle whose score is always `margin`."""
    z, many = top_rows(normal_tail, n, 20_000, np.random.default_rng([seed, n]))
    return np.stack(
        [1 / (1 + np.sum(many * np.exp(b * (z - margin)), axis=-1)) for b in scales], axis=-1
    )


def gamble_table(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return a table of what a sharper scale does for a needle at D = 3 among 1024 others."""
    scales = (2, 3, 4, 6, 12)
    weights = certain_needle(1024, 3.0, scales, seed)
    lines = []
    for b, w in zip(scales, weights.T, strict=True):
        loss = -np.log(w)
        error = loss.std() / np.sqrt(len(loss))
        cells = f"{w.mean():.2f}", f"{np.median(w):.2f}", f"{loss.mean():.3f} ± {error:.3f}"
        lines.append([f"{b}", *cells])
    return ["b", "mean weight", "median weight", "mean of −ln w"], lines


def certain_table(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return a table of the best b for a needle that is always at D = 3, in steps of a quarter."""
    scales = np.arange(2, 8.1, 0.25)
    lines = []
    for n in (16, 1024, 65536):
        losses = -np.log(certain_needle(n, 3.0, list(scales), seed)).mean(axis=0)
        best = losses.argmin()
        at = (critical_std(n), scales[best], losses[best], losses[scales == 3][0])
        lines.append([thousands(n), *(f"{value:.2f}" for value in at)])
    return ["n", "border", "best b", "loss there", "loss at b = 3"], lines


def growing_scale(margin: float) -> dict[str, float]:
    """Return up to how many keys a scale keeps a needle `margin` deviations above the others.

    By the bound at b = 1, by the bound at any b, and at any b at all, the last two in millions;
    and the smallest sufficient b among 1024.
    """
    return {
        "end_fixed": np.exp(margin - 0.5),
        "end_bound": np.exp(margin**2 / 2) / 1e6,
        "end_any": np.log(2) / NormalDist().cdf(-margin) / 1e6,
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
