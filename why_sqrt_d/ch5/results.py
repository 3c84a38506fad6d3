"""The numbers that chapter 5 quotes, one function a section."""

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import critical_std
from attn_helpers._checks import FloatArray
from attn_helpers.extremes import needle_weight, qk_norm_capacity
from attn_helpers.needle import match_capacity, simulate_needle
from attn_helpers.scales import SoftCap
from attn_helpers.temperature import sweep_scales, target_loss
from why_sqrt_d.ch5.experiment import SCALES
from why_sqrt_d.experiments.summary import statistics

Rows = Sequence[Mapping[str, Any]]


def puzzle(found: Sequence[FloatArray]) -> dict[str, float]:
    """Return the needle's median weight under a fixed and a growing scale.

    Both hold weights (sizes, rows) among 2⁴, 2⁵ … 2²⁰ keys; the growing scale's worst median is
    rounded down to a hundredth.
    """
    fixed, growing = (np.median(rows, axis=-1) for rows in found)
    return {
        "fixed_16": fixed[0],
        "fixed_1024": fixed[6],
        "fixed_million": fixed[-1],
        "growing_worst": np.floor(100 * growing.min()) / 100,
        "growing_million": growing[-1],
    }


def sweep_on_words(
    words: Sequence[str], maps: Sequence[FloatArray], entropies: Sequence[float]
) -> dict[str, float]:
    """Return what "spring" gives to itself and to "winter" when cold, usual and warm.

    `maps` are three arrays (len(words), len(words)) of weights with their mean `entropies`.
    """
    spring, winter = words.index("spring"), words.index("winter")
    cold, usual, warm = maps
    return {
        "spring_cold": cold[spring, spring],
        "spring_warm": warm[spring, spring],
        "winter_cold": cold[spring, winter],
        "winter_usual": usual[spring, winter],
        "winter_warm": warm[spring, winter],
        "entropy_cold": entropies[0],
        "entropy_warm": entropies[2],
        "entropy_uniform": np.log(len(words)),
    }


def learned_scale(
    paths: FloatArray, scores: FloatArray, targets: NDArray[np.int64]
) -> dict[str, float]:
    """Return the learned b = β√d at d = 64, the best b of a fine sweep, and losses beside it.

    `paths` (seeds, steps + 1) hold b while it is learned, its last 200 steps are averaged;
    `scores` (rows, n) and `targets` (rows,) are fresh rows.
    """
    last = paths[:, -200:].mean(axis=1)
    fine = np.arange(2.6, 3.41, 0.05)
    return {
        **statistics(last, learned="mean", learned_error="error"),
        "best_swept": fine[sweep_scales(scores, targets, fine / 8).argmin()],
        "loss_textbook": target_loss(scores, targets, 1 / 8).loss,
        "loss_best": target_loss(scores, targets, 3 / 8).loss,
        "loss_uniform": np.log(scores.shape[1]),
    }


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
    broken, apart = how_far_below(rows)
    at_3, at_5, at_12 = (SCALES.index(b) for b in (3.0, 5.0, 12.0))
    million, million_error = over_seeds(rows, 2**20, 5.0)
    gamble, median = (over_seeds(rows, 2**10, 3.0, what)[0] for what in ("mean", "median"))
    rng = np.random.default_rng(58)
    losses = -np.log(simulate_needle([3.0, 4.0, 12.0], 3.0, 2**10, 2000, rng))
    return {
        "bound_broken": broken,
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
        "critical_million": critical_std(2**20),
    }


def growing_scale(
    margin: float, n: Sequence[int], trained: FloatArray, needed: FloatArray
) -> dict[str, float]:
    """Return up to how many keys a scale keeps a needle `margin` deviations above the others.

    `trained` and `needed` (len(n),) are the b of the rule max(1, ln n / ln 1024), and the smallest
    sufficient one; the others are closed forms: b = 1, the best bound, any b, log₁₆ n.
    """
    slope = 1 / np.log(16)
    return {
        "end_fixed": np.exp(margin - 0.5),
        "end_bound": np.exp(margin**2 / 2) / 1e6,
        "end_any": np.log(2) / NormalDist().cdf(-margin) / 1e6,
        "end_log": np.exp(2 * (slope * margin - 1) / slope**2) / 1e6,
        "end_train": n[int(np.flatnonzero(trained >= needed)[-1])],
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
        "capacity_exact": match_capacity(64),
        "capacity_128": qk_norm_capacity(128) / 1000,
        "capacity_gain": match_capacity(64, 1.5) / 1000,
        **statistics(close, at_capacity="mean", at_capacity_error="error"),
        "henry_gain": gain,
        "henry_weight": 1 / (1 + at / match_capacity(64, gain)),
    }


def soft_caps(cap: SoftCap) -> dict[str, float]:
    """Return what a cap of 50 leaves of a margin of 10, low and high, and its slopes."""
    at_5, at_15, at_70, at_80 = cap(np.array([5.0, 15.0, 70.0, 80.0]))
    slope_cap, slope_twice = cap.vjp(np.array([50.0, 100.0]), np.ones(2))
    return {
        "margin_low": at_15 - at_5,
        "margin_high": at_80 - at_70,
        "slope_cap": slope_cap,
        "slope_twice": slope_twice,
        "few_keys": np.exp(10) / 1000,
    }


def aligned_pairs(
    root: Mapping[str, FloatArray], linear: Mapping[str, FloatArray]
) -> dict[str, float]:
    """Return root mean square logits at d = 4096 under 1/√d and 1/d.

    Both map a correlation to an array over d, the largest last.
    """
    return {
        "aligned_root_4096": root["ρ = 0.5"][-1],
        "aligned_root_theory": np.sqrt(1.25 + 0.25 * 4096),
        "aligned_linear_4096": linear["ρ = 0.5"][-1],
        "start_linear_4096": linear["ρ = 0"][-1],
        "start_root_4096": root["ρ = 0"][-1],
    }
