"""Chapter 5: one head that is trained over all rates."""

from itertools import product
from typing import Any

import numpy as np

from research.experiments.definition import Experiment, early
from why_sqrt_d.ch4.stored_runs import POWERS
from why_sqrt_d.ch5.retrieval import (
    initial_weights,
    logit_spread,
    retrieval_batch,
    train_retrieval,
)
from why_sqrt_d.ch5.stored_runs import DIMENSIONS, RATES
from why_sqrt_d.digits import rounded

WORST = 1e3  # a loss beyond it counts as it: JSON knows no infinity


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


_HEAD: Any = {
    "seeds": 10,
    "fixed": {"steps": 400, "window": 20, "n": 16, "batch": 32},
    "cost": lambda settings: 100.0 + settings["d"],
    "agreement": None,
}

EXPERIMENTS = (
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
)
