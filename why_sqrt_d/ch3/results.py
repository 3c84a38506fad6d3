"""The numbers that chapter 3 and its deeper pages quote, one function a section.

`grid`, `shares` and `phases` are the stored rows of the experiments "saturation", "shares" and
"phases".
"""

from collections.abc import Sequence
from math import ceil, erfc, exp, floor, log, log10
from typing import Any

import numpy as np

from attn_helpers import critical_std, effective_keys, initialisation, softmax
from attn_helpers.checks import FloatArray
from attn_helpers.extremes import (
    expected_gap,
    expected_maximum,
    predicted_entropy,
    predicted_participation,
)
from attn_helpers.saturation import query_lengths, simulate_saturation
from why_sqrt_d.ch3.experiment import DIMENSIONS, KEYS, pooled, pooled_error
from why_sqrt_d.experiments.summary import select, statistics
from why_sqrt_d.pictures.style import short_count, thousands

Rows = Sequence[dict[str, Any]]
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
#: Formats of a number: binary digits that it keeps, and its largest power of two.
FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}


def typical(grid: Rows, measure: str, d: int, n: int, scaled: bool) -> float:
    """Return the median over rows of one measure, averaged over the seeds."""
    return float(pooled(grid, f"{measure}_q", d=d, n=n, scaled=scaled)[1])


def band(grid: Rows, d: int, scaled: bool, measure: str = "effective") -> FloatArray:
    """Return the 10, 50 and 90 % quantiles of one measure for every number of keys, (3, keys)."""
    cell = {"d": d, "scaled": scaled}
    return np.transpose([pooled(grid, f"{measure}_q", n=n, **cell) for n in KEYS])


def medians(grid: Rows, widest: int = DIMENSIONS[-1]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return d (m,), n (k,) and the median effective keys (k, m) of unscaled rows, up to a d."""
    dims = [d for d in DIMENSIONS if d <= widest]
    counts = [[typical(grid, "effective", d, n, False) for d in dims] for n in KEYS]
    return np.array(dims, float), np.array(KEYS, float), np.array(counts)


# ---------------------------------------------------------------- the chapter, section by section


def margins() -> dict[str, float]:
    """Return what a crowd at margin 5 does, and the bounds of 1024 keys at that margin.

    The crowd joins logits 5, 3 and 1 at 0 until the first has less than half of the weight.
    """
    free = 1 - exp(-2) - exp(-4)  # what the two rivals leave of the sum at which p_1 is a half
    return {
        "thousand": 1000 * exp(-5),
        "outweighs": ceil(free / exp(-5)),
        "margin_low": 1 / (1 + 1023 * exp(-5)),
        "margin_high": 1 / (1 + exp(-5)),
    }


def logit_for(n: int, p: float) -> float:
    """Return the x at which the first of the n weights of softmax([x, 0, …, 0]) is p."""
    return log((n - 1) * p / (1 - p))


def how_large() -> dict[str, float]:
    """Return the logit that 0.99 needs among 2 and 16 384 keys."""
    return {
        "price_99": logit_for(2, 0.99),
        "x_99_long": logit_for(16384, 0.99),
    }


def more_keys(grid: Rows, shares: Rows) -> dict[str, float]:
    """Return typical rows at d = 64: largest weight, effective keys, and mean gaps at the top."""
    few = select(shares, n=16, scaled=False)[0]
    return {
        "top_16": few["largest_q"][1],
        "few_16": typical(grid, "effective", 64, 16, False),
        "few_16384": typical(grid, "effective", 64, 16384, False),
        **{f"gap_{n}": expected_gap(n) for n in (2, 16384)},
    }


def border() -> dict[str, float]:
    """Return where d = 64 and d = 16 cross the border, and what is seen of it at d = 16.

    Beside it the typical effective keys of 1024, undivided, in a head initialised as in GPT-2.
    """
    gpt2 = next(row for row in start_table(16000, seed=3) if row[0] == "GPT-2")
    rng = np.random.default_rng(4)
    lengths = query_lengths(16, 12000, rng)  # the grid's 2000 rows leave an error of 0.3
    around = [
        float(np.median(simulate_saturation(n, lengths, rng).effective)) for n in (2048, 4096)
    ]
    return {
        "cross_64": exp(32) / 1e12,  # trillions
        "cross_16": 1000 * round(exp(8) / 1000),
        "before_16": around[0],
        "after_16": around[1],
        "gpt2_keys": float(gpt2[-1]),
    }


def random_rows(d: int, keys: Sequence[int], rows: int, seed: int) -> dict[str, FloatArray]:
    """Return weights (rows, n) of random rows for each n, undivided and divided by √d."""
    rng = np.random.default_rng(seed)
    found = {}
    for n in keys:
        scores = query_lengths(d, rows, rng)[:, None] * rng.standard_normal((rows, n))
        found[f"{n} keys, undivided"] = softmax(scores)
        found[f"{n} keys, divided"] = softmax(scores / np.sqrt(d))
    return found


def typical_in_both(undivided: FloatArray, divided: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, of the same rows of weights (rows, n) twice, the one (n,) that is typical in both.

    Typical is a largest weight near the median; distances are relative to it.
    """
    tops = np.array([undivided.max(axis=-1), divided.max(axis=-1)])
    middle = np.median(tops, axis=-1, keepdims=True)
    nearest = np.abs(tops / middle - 1).sum(axis=0).argmin()
    return undivided[nearest], divided[nearest]


def start_table(rows: int, seed: int) -> list[list[str]]:
    """Return a row for each real initialisation of a head of dimension 64, undivided.

    The logits' standard deviation σ, the number of keys e^(σ²/2) at which σ is critical, and the
    median effective keys of `rows` rows of 1024 keys. The layer is of GPT-2's size: width 768,
    twelve heads, tokens after layer normalisation.
    """
    rng = np.random.default_rng(seed)
    short = {
        "Xavier, one matrix each": "Xavier, separate",
        "Xavier, fused q, k, v": "Xavier, fused",
        "nn.Linear default": "nn.Linear",
        "T5, no scale": "T5",
    }
    lines = []
    for name, scheme in initialisation.INITIALISATIONS.items():
        divided = initialisation.initial_logit_std(scheme, 768, 12)
        std = divided * 8 if scheme.scaled else divided
        counts = simulate_saturation(1024, std * query_lengths(64, rows, rng) / 8, rng).effective
        lines.append((std, short.get(name, name), exp(std**2 / 2), float(np.median(counts))))
    return [
        [name, f"{std:.1f}", _in_keys(border), f"{count:.{1 if count < 10 else 0}f}"]
        for std, name, border, count in sorted(lines)
    ]


def _in_keys(count: float) -> str:
    """Write a number of keys in full, or as one digit and a power of ten."""
    if count < 1e5:
        return thousands(count) if count >= 2 else "< 2"
    power = floor(log10(count))
    return f"{count / 10**power:.0f}·10" + str(power).translate(
        str.maketrans("0123456789", RAISED)
    )


def story_table(shares: Rows, scaled: bool) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table with a column for each n, at d = 64.

    The per cent of rows with one key above a level, and the typical effective keys, of scores
    that are undivided or, `scaled`, divided by √d.
    """

    def per_cent(share: float) -> str:
        return f"{100 * share:.{1 if 0 < share < 0.0995 else 0}f} %"

    found = select(shares, scaled=scaled)
    lines = [
        [f"above {level}", *(per_cent(row[name]) for row in found)]
        for level, name in (("0.9", "above_90"), ("0.99", "above_99"))
    ]
    lines.append(["eff. keys", *(short_count(row["effective_q"][1]) for row in found)])
    first, *others = (thousands(row["n"]) for row in found)
    return ["divided" if scaled else "undivided", f"n = {first}", *others], lines


def middling_slopes(rows: int, seed: int) -> dict[str, float]:
    """Return p(1 - p) of the median key of a typical row of 1024 at d = 64, divided.

    `slope_less`, to one digit, is by how many millions it is smaller undivided.
    """
    found = random_rows(64, (1024,), rows, seed).values()
    middle = [np.median(weights, axis=-1) for weights in found]
    undivided, divided = (float(np.median(p * (1 - p))) for p in middle)
    return {"slope_divided": divided, "slope_less": float(f"{divided / undivided:.0e}") / 1e6}


def textbook_breaks(grid: Rows) -> dict[str, float]:
    """Return the typical largest weight of divided rows of 16 and of 16 384 keys."""
    return {
        "dilute_16": typical(grid, "largest", 64, 16, True),
        "dilute_16384": typical(grid, "largest", 64, 16384, True),
    }


def formats() -> list[list[str]]:
    """Return a row for each float: largest number, where exp overflows, the step at 1000."""
    lines = []
    for name, (digits, exponent) in FORMATS.items():
        largest = (2 - 2.0 ** (1 - digits)) * 2.0**exponent
        written = f"{largest:.3g}".replace("e+", "e").replace("e0", "e")
        step = 2.0 ** (10 - digits)  # 1000 lies between 2⁹ and 2¹⁰
        spacing = f"{step:.1g}".replace("e-0", "e-").replace("-", "−")
        lines.append([name, written, f"{log(largest):.2f}", spacing])
    return lines


# ------------------------------------------------------------------------- the deeper pages


def printed_rows(unscaled: Sequence[float], scaled_weights: Sequence[float]) -> dict[str, float]:
    """Return what gives two printed rows away: a ratio of two weights, and a sum of five.

    The logits 8.5 and 7.9 are printed with the weights 0.99 and 0.01; `unscaled` are logits.
    """
    return {
        "ratio_right": exp(8.5 - 7.9),
        "ratio_printed": 0.99 / 0.01,
        "sum_printed": sum(scaled_weights),
        "unscaled_effective": float(effective_keys(softmax(unscaled))),
    }


def two_keys() -> dict[str, float]:
    """Return the weights of the logits 7 and 5."""
    seven, five = softmax([7, 5])
    return {"seven": seven, "five": five}


def gaps() -> dict[str, float]:
    """Return the mean gap between the two largest of n standard normal numbers, and 1/σ_c."""
    found = {f"gap_{n}": expected_gap(n) for n in (2, 1024, 16384)}
    return {**found, "gap_predicted": 1 / critical_std(1024)}


def long_way(products: Rows, grid: Rows) -> dict[str, float]:
    """Return how far rows with every dot product drawn are from those drawn by their law.

    In standard errors of the difference of the mean largest weights, at most.
    """
    apart = []
    for row in products:
        cell = {name: row[name] for name in ("d", "n", "scaled")}
        error = np.hypot(pooled_error(grid, "largest", **cell), row["largest_se"])
        apart.append(abs(row["largest"] - pooled(grid, "largest", **cell)) / error)
    return {
        **statistics([row["rows"] for row in products], fewest="min", most="max"),
        "cells": len(apart),
        "apart": max(apart),
    }


def long_way_table(products: Rows, grid: Rows) -> list[list[str]]:
    """Return a row for each stored cell: d, n, divided or not, the mean largest weight twice."""
    lines = []
    for row in products:
        cell = {name: row[name] for name in ("d", "n", "scaled")}
        mean, error = (f(grid, "largest", **cell) for f in (pooled, pooled_error))
        divided = "yes" if row["scaled"] else "no"
        drawn, by_law = (
            _with_error(row["largest"], row["largest_se"]),
            _with_error(float(mean), float(error)),
        )
        lines.append([str(row["d"]), str(row["n"]), divided, drawn, by_law])
    return lines


def _with_error(value: float, error: float) -> str:
    """Write a number and its standard error, of which two digits are seen."""
    places = max(4, 1 - floor(log10(error))) if error else 4
    return f"{value:.{places}f} ± {error:.{places}f}"


def on_the_border(phases: Rows) -> dict[str, float]:
    """Return the median effective keys at σ = σ_c, of the fewest keys and of the most."""
    runs = [row for row in phases if row["ratio"] == 1]
    found = {
        n: np.mean([row["effective_q"][1] for row in runs if row["n"] == n])
        for n in sorted({row["n"] for row in runs})
    }
    few, *_, many = found.values()
    return {"border_few": few, "border_many": many}


def dilution_slopes(grid: Rows) -> dict[str, float]:
    """Return minus the slopes of the typical largest scaled weight and of the bound against n.

    The bound is exp(√(2 ln n))/n; both over the four largest n, on logarithmic axes.
    """
    last = np.array(KEYS[-4:], float)
    seen = [typical(grid, "largest", 64, n, True) for n in KEYS[-4:]]
    bound = np.exp(np.sqrt(2 * np.log(last))) / last
    return {
        "seen_slope": -np.polyfit(np.log(last), np.log(seen), 1)[0],
        "bound_slope": -np.polyfit(np.log(last), np.log(bound), 1)[0],
        "tipped_wide": 100 * erfc(log(9) / 2),
    }


Curves = dict[int, tuple[FloatArray, FloatArray]]


def phase_curves(
    phases: Rows, keys: Sequence[int]
) -> tuple[FloatArray, Curves, Curves, dict[int, tuple[FloatArray, FloatArray, FloatArray]]]:
    """Return what `figures.predictions` draws for each of some numbers of keys.

    The ratios σ/σ_c (m,); entropy as a share of ln n, and Σp², means (m,) with their standard
    errors; and for finer ratios what the model predicts, NaN where it predicts nothing.
    """
    ratios: FloatArray = np.array(sorted({row["ratio"] for row in phases}), float)
    entropy: Curves = {}
    participation: Curves = {}
    predicted: dict[int, tuple[FloatArray, FloatArray, FloatArray]] = {}
    fine: FloatArray = np.arange(1, 251) / 50
    for n in keys:
        for measure, found, unit in (
            ("entropy", entropy, log(n)),
            ("participation", participation, 1),
        ):
            columns = (
                [f(phases, measure, n=n, ratio=r) for r in ratios] for f in (pooled, pooled_error)
            )
            mean, error = (np.array(column) / unit for column in columns)
            found[n] = mean, error
        stds = fine * critical_std(n)
        shares: FloatArray = np.array([predicted_entropy(n, s) / log(n) for s in stds], float)
        shares[fine == 1] = np.nan  # at the border itself the line is broken
        squares: FloatArray = np.array([predicted_participation(n, s) for s in stds], float)
        predicted[n] = fine, shares, squares
    return ratios, entropy, participation, predicted


def largest_weights(
    phases: Rows, ratios: Sequence[float]
) -> tuple[dict[float, FloatArray], dict[float, float]]:
    """Return histograms (20,) and means of the largest of 1024 weights at some σ/σ_c."""
    shares = {r: pooled(phases, "histogram", n=1024, ratio=r) for r in ratios}
    means = {r: float(pooled(phases, "largest", n=1024, ratio=r)) for r in ratios}
    return shares, means


def predictions(phases: Rows) -> dict[str, float]:
    """Return by how many per cent the random energy model's predictions are off."""
    rules = {"entropy": predicted_entropy, "participation": predicted_participation}

    def off(measure: str, n: int, ratio: float) -> float:
        seen = pooled(phases, measure, n=n, ratio=ratio)
        return float(100 * (rules[measure](n, ratio * critical_std(n)) / seen - 1))

    def error(measure: str, n: int, ratio: float) -> float:
        cell = {"n": n, "ratio": ratio}
        seen = pooled(phases, measure, **cell)
        right = rules[measure](n, ratio * critical_std(n))
        return float(100 * right / seen * pooled_error(phases, measure, **cell) / seen)

    quoted = ((1024, 0.3), (1024, 3.0), (16, 3.0), (16384, 3.0))
    return {
        "h_off_error": max(error("entropy", *cell) for cell in quoted),
        "p_off_error": max(error("participation", *cell) for cell in quoted),
        "h_shared": -off("entropy", 1024, 0.3),
        "p_shared": off("participation", 1024, 0.3),
        "h_near_measured": float(pooled(phases, "entropy", n=1024, ratio=1.25)),
        "h_near_error": float(pooled_error(phases, "entropy", n=1024, ratio=1.25)),
        "h_near_predicted": predicted_entropy(1024, 1.25 * critical_std(1024)),
        "h_frozen": off("entropy", 1024, 3.0),
        "p_frozen": -off("participation", 1024, 3.0),
        "h_few": off("entropy", 16, 3.0),
        "p_few": -off("participation", 16, 3.0),
        "h_long": off("entropy", 16384, 3.0),
        "max_1024": expected_maximum(1024),
        "critical_1024": critical_std(1024),
    }
