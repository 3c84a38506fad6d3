"""Chapter 4's experiments: gradients of an untrained layer, and one head trained."""

from itertools import product
from typing import Any

import numpy as np

from why_sqrt_d.ch4.flow import flow_at_scales, random_layer
from why_sqrt_d.ch4.retrieval import (
    initial_weights,
    logit_spread,
    retrieval_batch,
    train_retrieval,
)
from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.digits import short

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


DIMENSIONS = (16, 64, 256)
POWERS = (0.5, 0.0, 1.0)  # β = d^-power
RATES = {"adam": (0.001, 0.003, 0.01, 0.03, 0.1), "sgd": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}


def run_ablation(
    *,
    d: int,
    power: float,
    optimiser: str,
    rate: float,
    seed: int,
    steps: int,
    window: int,
    n: int,
    batch: int,
) -> dict[str, Any]:
    """Train one head; return mean losses of windows of steps, and the logits' spread."""
    scale, rng = d**-power, np.random.default_rng([seed, d])
    # The same seed gives every rule the same first weights and the same questions.
    run = train_retrieval(rng, d, scale, rate, steps, optimiser, n, batch)
    fresh = retrieval_batch(np.random.default_rng([seed, d, 1]), 256, n)
    first = initial_weights(np.random.default_rng([seed, d]), d)
    return {
        "losses": [_short(x) for x in run.losses.reshape(-1, window).mean(axis=1)],
        "spread_before": _short(logit_spread(first, fresh, scale)),
        "spread_after": _short(logit_spread(run.weights, fresh, scale)),
    }


def _short(x: float) -> float:
    """Three digits; a loss beyond a thousand counts as a thousand (JSON knows no infinity)."""
    return float(f"{np.nan_to_num(min(float(x), 1e3), nan=1e3):.3g}")


def grid(seeds: int) -> list[dict[str, Any]]:
    """Return every dimension, rule, optimiser and learning rate."""
    return [
        {"d": d, "power": power, "optimiser": optimiser, "rate": rate, "seed": seed}
        for d, power, optimiser in product(DIMENSIONS, POWERS, RATES)
        for rate in RATES[optimiser]
        for seed in range(seeds)
    ]


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
    Experiment(
        name="scaling_ablation",
        purpose="learning curves of one head with β = 1/√d, 1 and 1/d, Adam and gradient descent",
        fixed={"steps": 400, "window": 20, "n": 16, "batch": 32},
        grid=grid,
        seeds=10,
        run=run_ablation,
        cost=lambda settings: 100.0 + settings["d"],
    ),
)
