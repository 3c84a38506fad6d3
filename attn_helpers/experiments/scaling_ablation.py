"""Chapter 4: one attention head trained with and without the scale."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.experiments.definition import Experiment
from attn_helpers.retrieval import (
    initial_weights,
    logit_spread,
    retrieval_batch,
    train_retrieval,
)

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


def curves(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> NDArray[np.float64]:
    """Return the losses of the stored rows with the wanted settings, a row a seed."""
    return np.array([row["losses"] for row in rows if wanted.items() <= row.items()])


def best_rate(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> float:
    """Return the learning rate with the least error averaged over the run, median of the seeds."""
    error = {
        rate: float(np.median(curves(rows, rate=rate, **wanted).mean(axis=1)))
        for rate in RATES[wanted["optimiser"]]
    }
    return min(error, key=lambda rate: error[rate])


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
        name="scaling_ablation",
        purpose="learning curves of one head with β = 1/√d, 1 and 1/d, Adam and gradient descent",
        fixed={"steps": 400, "window": 20, "n": 16, "batch": 32},
        grid=grid,
        seeds=10,
        run=run_ablation,
        cost=lambda settings: 100.0 + settings["d"],
    ),
)
