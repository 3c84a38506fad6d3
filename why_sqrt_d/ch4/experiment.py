"""Chapter 4: gradients of an untrained layer over d, n and β; and one head that is trained."""

from itertools import product
from typing import Any

import numpy as np

from why_sqrt_d.ch5 import language_runs, start_and_speed
from why_sqrt_d.ch4.flow import measure_flow, random_layer
from why_sqrt_d.ch5.retrieval import (
    initial_weights,
    logit_spread,
    retrieval_batch,
    train_retrieval,
)
from why_sqrt_d.experiments.definition import Experiment, Settings
from why_sqrt_d.experiments.digits import early, rounded, short

POWERS = (0.5, 0.0, 1.0)  # the rules β = d^-power
# Of the untrained layer.
SIZES = (4, 16, 64, 256, 1024, 4096)
CURVES = tuple(product((16, 64, 256, 1024), (16, 128, 1024)))  # (d, n)
# Standard deviations of the logits, from 1/100 to 100 in steps of 10^(1/8).
STDS = tuple(short(10 ** (step / 8) for step in range(-16, 17)))
# Of the trained head.
DIMENSIONS = (16, 64, 256)
RATES = {"adam": (0.001, 0.003, 0.01, 0.03, 0.1), "sgd": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}
WORST = 1e3  # a loss beyond it counts as it: JSON knows no infinity


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
    return {name: found[name] for name in ("query_rms", "query_median", "w_query")}


def _measure(
    d: int, n: int, seed: int, queries: int, scales: list[float]
) -> dict[str, list[float]]:
    rng = np.random.default_rng([seed, d, n])
    layer = random_layer(d, n, queries, rng)
    found = [measure_flow(layer, scale) for scale in scales]
    return {name: short((at[name] for at in found), 4) for name in found[0]}


def run_ablation(*, d: int, power: float, start: float = 1.0, **training: Any) -> dict[str, Any]:
    """Train one head at β = d^-power whose first W_q and W_k are multiplied by `start`.

    The other settings, and what is returned, are those of `_run_head`.
    """
    return _run_head(d=d, scale=d**-power, factors=(start, start), **training)


def run_folded(*, d: int, **training: Any) -> dict[str, Any]:
    """Train one head whose first W_q is divided by √d, with β = 1."""
    return _run_head(d=d, scale=1.0, factors=(d**-0.5, 1.0), **training)


def _run_head(
    *,
    d: int,
    scale: float,
    factors: tuple[float, float],
    optimiser: str,
    rate: float,
    seed: int,
    steps: int,
    window: int,
    n: int,
    batch: int,
) -> dict[str, Any]:
    """Train one head; return mean losses of windows of steps, some early ones, and the spread."""
    rng = np.random.default_rng([seed, d])
    # The same seed gives every rule the same first weights and the same questions.
    first = initial_weights(rng, d, *factors)
    run = train_retrieval(rng, first, scale, rate, steps, optimiser, n, batch)
    fresh = retrieval_batch(np.random.default_rng([seed, d, 1]), 256, n)
    return {
        "losses": [_bounded(x) for x in run.losses.reshape(-1, window).mean(axis=1)],
        "early": early(np.minimum(run.losses, WORST)),
        "spread_before": _bounded(logit_spread(first, fresh, scale)),
        "spread_after": _bounded(logit_spread(run.weights, fresh, scale)),
    }


def _bounded(x: float) -> float:
    return rounded(np.nan_to_num(min(float(x), WORST), nan=WORST), 3)


def _flow_cost(settings: Settings) -> float:
    d, n = settings["d"], settings["n"]
    return float(d * (1024 + n) * (d + n) + 3e7)


_HEAD: Any = {
    "seeds": 10,
    "fixed": {"steps": 400, "window": 20, "n": 16, "batch": 32},
    "cost": lambda settings: 100.0 + settings["d"],
    "agreement": None,
}

EXPERIMENTS = (
    Experiment(
        name="gradient_puzzle",
        purpose="gradients of an untrained layer at d = 1024 with ten keys, at β = 1/√d and 1",
        run=run_rules,
        rows=[{"d": 1024, "n": 10}],
        seeds=9,
        fixed={"queries": 2000, "powers": [0.5, 0.0]},
        cost=_flow_cost,
    ),
    Experiment(
        name="gradient_flow",
        purpose="gradients of an untrained layer at β = 1/√d, 1 and 1/d, over d and n",
        run=run_rules,
        rows=[{"d": d, "n": n} for d, n in product(SIZES, SIZES)],
        seeds=5,
        fixed={"queries": 1024, "powers": list(POWERS)},
        cost=_flow_cost,
    ),
    Experiment(
        name="gradient_scale",
        purpose="gradients of an untrained layer against β over four decades",
        run=run_curve,
        rows=[{"d": d, "n": n} for d, n in CURVES],
        seeds=5,
        fixed={"queries": 1024, "stds": list(STDS)},
        cost=_flow_cost,
    ),
    Experiment(
        name="scaling_ablation",
        purpose="learning curves of one head with β = 1/√d, 1 and 1/d, Adam and gradient descent",
        run=run_ablation,
        rows=[
            {"d": d, "power": power, "optimiser": optimiser, "rate": rate}
            for d, power, optimiser in product(DIMENSIONS, POWERS, RATES)
            for rate in RATES[optimiser]
        ],
        **_HEAD,
    ),
    Experiment(
        name="folded_scale",
        purpose="learning curves of one head with β = 1 and 1/√d in its first W_q",
        run=run_folded,
        rows=[
            {"d": d, "optimiser": optimiser, "rate": rate}
            for d, optimiser in product(DIMENSIONS, RATES)
            for rate in RATES[optimiser]
        ],
        **_HEAD,
    ),
    Experiment(
        name="start_or_rate",
        purpose="learning curves of one head with a start or a rate of W_q and W_k as at β = 1/d",
        run=run_ablation,
        # By Adam's steps β = 1/d is 1/√d with d^¼ times smaller W_q and W_k and a d^¼ times
        # smaller rate for both. Here is one without the other: the start, and the rate.
        rows=[
            {"d": 256, "power": power, "start": start, "optimiser": "adam", "rate": rate}
            for power, start in ((0.5, 0.25), (1.0, 4.0))
            for rate in (0.01, 0.03)
        ],
        **_HEAD,
    ),
    *language_runs.EXPERIMENTS,
    *start_and_speed.EXPERIMENTS,
)
