"""Chapter 4: gradients of an untrained layer over d, n and β."""

from itertools import product

import numpy as np

from research.experiments.definition import Experiment, Settings
from why_sqrt_d.ch4.flow import measure_flow, random_layer
from why_sqrt_d.ch4.stored_runs import POWERS, SIZES
from why_sqrt_d.digits import short

CURVES = tuple(product((16, 64, 256, 1024), (16, 128, 1024)))  # (d, n)
# Standard deviations of the logits, from 1/100 to 100 in steps of 10^(1/8).
STDS = tuple(short(10 ** (step / 8) for step in range(-16, 17)))


def run_rules(
    *, d: int, n: int, seed: int, queries: int, powers: list[float]
) -> dict[str, list[float]]:
    """Measure one layer at the scales β = d^-power."""
    return _measure(d, n, seed, queries, [d**-power for power in powers])


def run_curve(
    *, d: int, n: int, seed: int, queries: int, stds: list[float]
) -> dict[str, list[float]]:
    """Measure one layer at the scales that give logits the standard deviations `stds`."""
    measured = _measure(d, n, seed, queries, [std / d**0.5 for std in stds])
    return {name: measured[name] for name in ("query_rms", "query_median", "w_query")}


def _measure(
    d: int, n: int, seed: int, queries: int, scales: list[float]
) -> dict[str, list[float]]:
    rng = np.random.default_rng([seed, d, n])
    layer = random_layer(d, n, queries, rng)
    measured = [measure_flow(layer, scale) for scale in scales]
    return {name: short((at[name] for at in measured), 4) for name in measured[0]}


def _flow_cost(settings: Settings) -> float:
    d, n = settings["d"], settings["n"]
    return float(d * (1024 + n) * (d + n) + 3e7)


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
)
