"""The numbers that chapter 3 quotes, one function a section.

`grid` and `phases` are the stored rows of the experiments "saturation" and "phases".
"""

from collections.abc import Iterable, Mapping, Sequence
from math import erfc
from typing import Any

import numpy as np

from attn_helpers import critical_std, effective_keys, softmax
from attn_helpers._checks import FloatArray
from attn_helpers.extremes import (
    expected_gap,
    expected_maximum,
    predicted_entropy,
    predicted_largest,
    predicted_participation,
)
from why_sqrt_d.ch3.experiment import pooled, pooled_error
from why_sqrt_d.experiments.summary import statistics

Rows = Sequence[dict[str, Any]]


def typical(grid: Rows, measure: str, d: int, n: int, scaled: bool) -> float:
    """Return the median over rows of one measure, averaged over the seeds."""
    return float(pooled(grid, f"{measure}_q", d=d, n=n, scaled=scaled)[1])


def puzzle(rows: Iterable[FloatArray]) -> dict[str, float]:
    """Return the largest weight of each of three rows of logits."""
    largest = (float(softmax(row).max()) for row in rows)
    return dict(zip(("hero_size", "hero_margin", "hero_crowd"), largest, strict=True))


def margins() -> dict[str, float]:
    """Return the weights of logits 7 and 5, and the bounds of 1024 keys at a margin of 5."""
    seven, five = softmax([7, 5])
    return {
        "seven": seven,
        "five": five,
        "margin_low": 1 / (1 + 1023 * np.exp(-5)),
        "margin_high": 1 / (1 + np.exp(-5)),
    }


def printed_rows(unscaled: Sequence[float], scaled_weights: Sequence[float]) -> dict[str, float]:
    """Return what gives two printed rows away: a ratio of two weights, and a sum of five.

    The logits 8.5 and 7.9 are printed with the weights 0.99 and 0.01; `unscaled` are logits.
    """
    return {
        "ratio_right": np.exp(8.5 - 7.9),
        "ratio_printed": 0.99 / 0.01,
        "sum_printed": sum(scaled_weights),
        "unscaled_effective": float(effective_keys(softmax(unscaled))),
    }


def logit_for(n: int, p: float) -> float:
    """Return the x at which the first of the n weights of softmax([x, 0, …, 0]) is p."""
    return float(np.log((n - 1) * p / (1 - p)))


def how_large() -> dict[str, float]:
    """Return the logit that a weight needs among 4 and 16 384 keys."""
    return {
        "x_90": logit_for(4, 0.9),
        "x_99": logit_for(4, 0.99),
        "x_999": logit_for(4, 0.999),
        "x_99_long": logit_for(16384, 0.99),
        "reached": softmax([logit_for(4, 0.99), 0, 0, 0])[0],
    }


def more_keys(grid: Rows, products: Rows, apart: float) -> dict[str, float]:
    """Return typical largest weights for few and many keys, and how the stored rows were checked.

    `apart` is the largest distance, in standard errors, of the stored rows `products` (every dot
    product drawn) from `grid` (drawn from the exact law).
    """
    drawn = [row["rows"] for row in products]
    return {
        "long_way_apart": apart,
        **statistics(drawn, long_way_fewest="min", long_way_most="max"),
        "law_rows": 1000 * len({row["seed"] for row in grid}),
        "four_few": typical(grid, "largest", 4, 2, False),
        "four_many": typical(grid, "largest", 4, 16384, False),
        "sixty_few": typical(grid, "largest", 64, 2, False),
        "sixty_many": typical(grid, "largest", 64, 16384, False),
        **{f"gap_{n}": expected_gap(n) for n in (2, 1024, 16384)},
    }


def phase_diagram(
    dims: Sequence[int], keys: Sequence[int], medians: FloatArray
) -> dict[str, float]:
    """Return the number of keys that thaws a d, and the median largest weights on the border.

    `medians` (len(keys), len(dims)) are interpolated at d = 2 ln n, from 16 keys on.
    """
    on_the_line = [
        np.interp(np.log(2 * np.log(n)), np.log(dims), row)
        for n, row in zip(keys, medians, strict=True)
        if n >= 16
    ]
    return {
        "thaw_64": np.exp(32) / 1e13,
        "thaw_4": np.exp(2),
        **statistics(on_the_line, line_low="min", line_high="max"),
    }


def predictions(phases: Rows) -> dict[str, float]:
    """Return by how many per cent the random energy model's predictions are off."""
    rules = {"entropy": predicted_entropy, "participation": predicted_participation}

    def off(measure: str, n: int, ratio: float) -> float:
        seen = pooled(phases, measure, n=n, ratio=ratio)
        return float(100 * (rules[measure](n, ratio * critical_std(n)) / seen - 1))

    return {
        "h_shared": -off("entropy", 1024, 0.3),
        "p_shared": off("participation", 1024, 0.3),
        "h_near_measured": float(pooled(phases, "entropy", n=1024, ratio=1.25)),
        "h_near_error": float(pooled_error(phases, "entropy", n=1024, ratio=1.25)),
        "h_near_predicted": predicted_entropy(1024, 1.25 * critical_std(1024)),
        "p_near": -off("participation", 1024, 1.25),
        "h_frozen": off("entropy", 1024, 3.0),
        "p_frozen": -off("participation", 1024, 3.0),
        "h_few": off("entropy", 16, 3.0),
        "p_few": -off("participation", 16, 3.0),
        "h_long": off("entropy", 16384, 3.0),
        "max_1024": expected_maximum(1024),
        "critical_1024": critical_std(1024),
    }


def what_the_mean_hides(
    shares: Mapping[float, FloatArray], means: Mapping[float, float], grid: Rows
) -> dict[str, float]:
    """Return how the largest of 1024 weights is spread over rows, in per cent of the rows.

    `shares` maps σ/σ_c to the share of rows in 20 equal bins (20,), `means` to the mean.
    """
    flat = 100 * shares[1.75][5:18]
    fewest, _, most = pooled(grid, "effective_q", d=64, n=1024, scaled=False)
    return {
        **statistics(flat, flat_low="min", flat_high="max"),
        "flat_total": flat.sum(),
        "flat_top": 100 * shares[1.75][-1],
        "largest_top": 100 * shares[4.0][-1],
        "largest_mean": means[4.0],
        "largest_predicted": predicted_largest(1024, 4 * critical_std(1024)),
        "d_ratio": 8 / critical_std(1024),
        "keys_low": fewest,
        "keys_high": most,
    }


def textbook_breaks(grid: Rows, keys: Sequence[int]) -> dict[str, float]:
    """Return per cents of rows at d = 64 with one key above 0.9 and 0.99, and how weights dilute.

    The two slopes are those of the typical largest scaled weight, and of the bound
    exp(√(2 ln n))/n, over the four largest n, on logarithmic axes.
    """

    def share(n: int, level: str, scaled: bool = False) -> float:
        return float(100 * pooled(grid, level, d=64, n=n, scaled=scaled))

    dilute = [typical(grid, "largest", 64, n, True) for n in keys]
    last = np.array(keys[-4:], float)
    bound = np.exp(np.sqrt(2 * np.log(last))) / last
    return {
        **{f"nine_{n}": share(n, "above_90") for n in (2, 16, 1024, 16384)},
        **{f"one_{n}": share(n, "above_99") for n in (2, 16, 1024, 16384)},
        "effective_1024": typical(grid, "effective", 64, 1024, False),
        "effective_16384": typical(grid, "effective", 64, 16384, False),
        "tipped_2": share(2, "above_90", scaled=True),
        "tipped_wide": 100 * erfc(np.log(9) / 2),
        "tipped_16": share(16, "above_90", scaled=True),
        "dilute_16": typical(grid, "largest", 64, 16, True),
        "dilute_16384": typical(grid, "largest", 64, 16384, True),
        "dilute_slope": -np.polyfit(np.log(keys[-4:]), np.log(dilute[-4:]), 1)[0],
        "bound_slope": -np.polyfit(np.log(last), np.log(bound), 1)[0],
        "dilute_effective": 100 * typical(grid, "effective", 64, 16384, True) / 16384,
    }
