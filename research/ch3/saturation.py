"""Chapter 3: how saturated random rows are, over head dimension, number of keys and spread."""

from typing import Any

import numpy as np

from attn_helpers import Gaussian, critical_std
from attn_helpers.saturation import (
    Saturation,
    query_lengths,
    saturation_of_products,
    simulate_saturation,
)
from research.experiments.definition import Experiment
from why_sqrt_d.ch3.stored_runs import DIMENSIONS, KEYS, RATIOS
from why_sqrt_d.digits import rounded, short

QUANTILES = (0.1, 0.5, 0.9)
DIGITS = 5


def over_the_grid(*, d: int, n: int, scaled: bool, rows: int, seed: int) -> dict[str, Any]:
    """Saturation of rows of n scores of dimension d, by the exact law of a row.

    Every row has a query of its own; `scaled` scores are divided by sqrt(d).
    """
    rng = np.random.default_rng([seed, d, n, scaled])
    spreads = query_lengths(d, rows, rng) / (np.sqrt(d) if scaled else 1)
    return summary(simulate_saturation(n, spreads, rng))


def with_every_key(*, d: int, n: int, scaled: bool, rows: int, seed: int) -> dict[str, Any]:
    """Compute what `over_the_grid` does from dot products of drawn vectors; same parameters."""
    rng = np.random.default_rng([seed, d, n, scaled, rows])
    scale = d**-0.5 if scaled else 1.0
    return summary(saturation_of_products(Gaussian(), d, n, rows, rng, scale))


def across_the_transition(*, n: int, ratio: float, rows: int, seed: int) -> dict[str, Any]:
    """Saturation of rows whose logits have a standard deviation of ratio · sqrt(2 ln n).

    The ratio is σ/σ_c.
    """
    rng = np.random.default_rng([seed, n, round(1000 * ratio)])
    measured = simulate_saturation(n, np.full(rows, ratio * critical_std(n)), rng)
    shares = np.histogram(measured.largest, bins=20, range=(0, 1))[0] / rows
    return {**summary(measured), "histogram": short(shares, DIGITS)}


def summary(rows: Saturation) -> dict[str, Any]:
    """Return means with standard errors and quantiles over rows, to five digits."""
    measured = {**rows._asdict(), "participation": 1 / rows.effective}
    results: dict[str, Any] = {}
    for name, values in measured.items():
        results[name] = rounded(values.mean(), DIGITS)
        results[f"{name}_se"] = rounded(values.std(ddof=1) / np.sqrt(values.size), DIGITS)
    for name in Saturation._fields:
        results[f"{name}_q"] = short(np.quantile(measured[name], QUANTILES), DIGITS)
    for level in (90, 99):
        results[f"above_{level}"] = rounded(np.mean(rows.largest > level / 100), DIGITS)
    return results


# Unscaled everywhere; scaled, where d hardly matters, at every other d.
GRID = [
    {"d": d, "n": n, "scaled": scaled}
    for scaled in (False, True)
    for d in (DIMENSIONS[::2] if scaled else DIMENSIONS)
    for n in KEYS
]
# A few cells of the grid, the largest among them, with as many rows as time allows.
CELLS = [
    {"d": d, "n": n, "scaled": scaled, "rows": rows}
    for d, n, scaled, rows in (
        (1, 16, False, 4000),
        (4, 16384, False, 1000),
        (64, 64, False, 4000),
        (64, 1024, True, 2000),
        (4096, 16, True, 2000),
        (4096, 16384, False, 128),
        (4096, 16384, True, 128),
    )
]
# Six numbers of keys, each on both sides of the transition.
PHASES = [{"n": n, "ratio": ratio} for n in (16, 64, 256, 1024, 4096, 16384) for ratio in RATIOS]

# The textbook's head, with so many rows that a share of them is known to a fifth of a per cent.
SHARES = [
    {"d": 64, "n": n, "scaled": scaled, "rows": 400_000 if n < 2000 else 40_000}
    for n in (2, 16, 1024, 16384)
    for scaled in (False, True)
]

EXPERIMENTS = (
    Experiment(
        name="saturation",
        purpose="chapter 3: saturation of random rows over d and n, scaled and not",
        run=over_the_grid,
        rows=GRID,
        seeds=2,
        fixed={"rows": 1000},
        cost=lambda settings: settings["n"] + 50.0,
    ),
    Experiment(
        name="saturation_products",
        purpose="chapter 3: some cells of the same grid with every dot product computed",
        run=with_every_key,
        rows=CELLS,
        seeds=1,
        cost=lambda settings: settings["n"] * settings["d"] * settings["rows"] + 1e6,
    ),
    Experiment(
        name="shares",
        purpose="chapter 3: in how many rows at d = 64 one key has nearly all the weight",
        run=over_the_grid,
        rows=SHARES,
        seeds=1,
        cost=lambda settings: (settings["n"] + 50.0) * settings["rows"],
    ),
    Experiment(
        name="phases",
        purpose="chapter 3: saturation across the transition of the random energy model",
        run=across_the_transition,
        rows=PHASES,
        seeds=2,
        fixed={"rows": 4000},
        cost=lambda settings: settings["n"] + 50.0,
    ),
)
