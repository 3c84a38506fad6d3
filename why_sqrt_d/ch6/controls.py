"""The controls that source D's table lacks: learning rate, β, data, where β acts, measured β."""

from typing import Any

from why_sqrt_d.ch6.runs import reverse_run, training_cost
from why_sqrt_d.ch6.table import FIXED, table_rows
from why_sqrt_d.experiments.definition import Experiment, Settings

RATES = (1e-3, 3e-3, 1e-2)
SCALES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.5, 5.0, 6.5, 10.0, 15.0, 20.0, 50.0, 100.0)
SMALL = {"vocabulary": 10, "length": 20, "samples": 8_000}
MIDDLE = {"vocabulary": 100, "length": 20, "samples": 15_000}
SEARCHED = {10: 6.55, 100: 5.0}  # the β that the paper found, by vocabulary
STEPS = 3_000  # of a run whose number of steps is fixed


def rate_grid(seeds: int) -> list[Settings]:
    """Return the table's rows at other learning rates; rows of 1000 tokens get 3 seeds of 5."""
    return [
        {**row, "learning_rate": rate, "seed": seed}
        for row in table_rows()
        for rate in RATES
        for seed in _rate_seeds(row, seeds)
    ]


def _rate_seeds(row: Settings, seeds: int) -> range:
    return range(max(1, 3 * seeds // 5)) if row["vocabulary"] == 1000 else range(seeds)


def scale_grid(seeds: int) -> list[Settings]:
    """Return β from 0.05 to 100 and d^-1/2, at two learning rates."""
    return [
        {**task, "scale": scale, "learning_rate": rate, "seed": seed}
        for task in (SMALL, MIDDLE)
        for rate in (5e-4, 3e-3)
        for scale in (None, *SCALES)
        for seed in range(seeds)
    ]


def size_grid(seeds: int) -> list[Settings]:
    """Return training-set sizes at ten epochs each, and at a fixed number of steps."""
    rows = []
    for task in (SMALL, MIDDLE):
        for samples in (128, 512, 2_048, 8_000, 15_000, 25_000):
            for epochs in (10, max(1, round(STEPS / (samples // FIXED["batch_size"])))):
                for scale in (None, SEARCHED[task["vocabulary"]]):
                    rows.append({**task, "samples": samples, "scale": scale, "epochs": epochs})
    return [{**row, "seed": seed} for row in rows for seed in range(seeds)]


def place_grid(seeds: int) -> list[Settings]:
    """Return one factor f on the logits at the start, in four places where it can act.

    f = β √d: as β itself; as √f on W_q and on W_k; as that with the learning rate of both
    multiplied too; and the learning rate alone.
    """
    rows = []
    for task in (SMALL, MIDDLE):
        factor = SEARCHED[task["vocabulary"]] * task["length"] ** 0.5
        root = round(factor**0.5, 6)
        for scale, gain, rate in (
            (None, 1.0, 1.0),
            (SEARCHED[task["vocabulary"]], 1.0, 1.0),
            (None, root, 1.0),
            (None, root, root),
            (None, 1.0, root),
        ):
            rows.append({**task, "scale": scale, "query_key_gain": gain, "query_key_rate": rate})
    return [{**row, "seed": seed} for row in rows for seed in range(seeds)]


def rule_grid(seeds: int) -> list[Settings]:
    """Return the rules that measure or search β while training, beside d^-1/2."""
    return [
        {**task, "rule": rule, "every": every, "seed": seed}
        for task in (SMALL, MIDDLE)
        for rule, every in (
            (None, "epoch"),
            ("weights", "epoch"),
            ("weights", "batch"),
            ("scores", "epoch"),
            ("scores", "batch"),
            ("search", "epoch"),
        )
        for seed in range(seeds)
    ]


def _experiment(name: str, purpose: str, grid: Any, seeds: int) -> Experiment:
    fixed = {**FIXED, "learning_rate": 5e-4}
    first = grid(1)[0]
    kept = {key: value for key, value in fixed.items() if key not in first}
    return Experiment(name, purpose, reverse_run, grid, seeds, kept, training_cost)


EXPERIMENTS = (
    _experiment("table1_rates", "Table 1 at other learning rates.", rate_grid, 5),
    _experiment("scale_sweep", "Accuracy against β at two learning rates.", scale_grid, 5),
    _experiment(
        "set_sizes", "Training-set size at fixed epochs and at fixed steps.", size_grid, 5
    ),
    _experiment(
        "scale_places", "The same factor as β, in W_q and W_k, or in their rate.", place_grid, 10
    ),
    _experiment("measured_scale", "β measured or searched while training.", rule_grid, 10),
)
