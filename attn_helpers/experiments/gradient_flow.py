"""Chapter 4: how large gradients are in an untrained attention layer, over d, n and β."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.experiments.definition import Experiment
from attn_helpers.experiments.digits import short
from attn_helpers.gradient_flow import flow_at_scales, random_layer

SIZES = (4, 16, 64, 256, 1024, 4096)
CURVES = tuple(product((16, 64, 256, 1024), (16, 128, 1024)))
# Standard deviations of the logits, from 1/100 to 100 in steps of 10^(1/8).
STDS = tuple(short(10 ** (step / 8) for step in range(-16, 17)))
CURVE_NAMES = ("logits_rms", "query_rms", "query_median", "query_top_share", "w_query")


def run_rules(
    *, d: int, n: int, seed: int, queries: int, powers: list[float]
) -> dict[str, list[float]]:
    """Measure one layer at the scales β = d^-power."""
    return _measure(d, n, seed, queries, [d**-power for power in powers])


def run_curve(
    *, d: int, n: int, seed: int, queries: int, stds: list[float]
) -> dict[str, list[float]]:
    """Measure one layer at the scales that give logits the standard deviations `stds`."""
    found = _measure(d, n, seed, queries, [std / d**0.5 for std in stds])
    return {name: found[name] for name in CURVE_NAMES}


def ratio_table(
    rows: Sequence[Mapping[str, Any]], name: str, rule: int = 1, below: int = 0
) -> NDArray[np.float64]:
    """Return a gradient at one rule over that at another, (d, n): geometric means of the seeds."""
    cells = np.empty((len(SIZES), len(SIZES)))
    for (i, d), (j, n) in product(enumerate(SIZES), enumerate(SIZES)):
        found = [row[name] for row in rows if (row["d"], row["n"]) == (d, n)]
        cells[i, j] = np.exp(np.mean([np.log(x[rule] / x[below]) for x in found]))
    return cells


def _measure(
    d: int, n: int, seed: int, queries: int, scales: list[float]
) -> dict[str, list[float]]:
    rng = np.random.default_rng([seed, d, n])
    found = flow_at_scales(random_layer(d, n, queries, rng), scales)
    return {name: short(row, 4) for name, row in found.items()}


def rules_grid(seeds: int) -> list[dict[str, Any]]:
    """Return every d with every n."""
    return [{"d": d, "n": n, "seed": s} for d, n in product(SIZES, SIZES) for s in range(seeds)]


def curve_grid(seeds: int) -> list[dict[str, Any]]:
    """Return the sizes of which whole curves are drawn."""
    return [{"d": d, "n": n, "seed": seed} for d, n in CURVES for seed in range(seeds)]


def _cost(settings: dict[str, Any]) -> float:
    d, n = settings["d"], settings["n"]
    return float(d * (1024 + n) * (d + n) + 3e7)


EXPERIMENTS = (
    Experiment(
        name="gradient_flow",
        purpose="gradients of an untrained layer at β = 1/√d, 1 and 1/d, over d and n",
        fixed={"queries": 1024, "powers": [0.5, 0.0, 1.0]},
        grid=rules_grid,
        seeds=5,
        run=run_rules,
        cost=_cost,
    ),
    Experiment(
        name="gradient_scale",
        purpose="gradients of an untrained layer against β over four decades",
        fixed={"queries": 1024, "stds": list(STDS)},
        grid=curve_grid,
        seeds=5,
        run=run_curve,
        cost=_cost,
    ),
)
