"""Chapter 7: the paper's table, the controls that it lacks, and both ways to search for β."""

from collections.abc import Callable
from itertools import product
from typing import Any

from research.ch7.reverse_runs import accuracy_run, odd_run, reverse_run, training_cost
from research.ch7.scale_search import fair_run, procedure_run
from research.experiments.definition import Experiment, Settings
from why_sqrt_d.ch7.table import SEARCHED, root_factor, table_rows

FIXED = {
    "epochs": 10,
    "batch_size": 128,
    "warmup": 50,
    "max_norm": 5.0,
    "test_samples": 10_000,
    "learning_rate": 5e-4,
}
SMALL = {"vocabulary": 10, "length": 20, "samples": 8_000}
MIDDLE = {"vocabulary": 100, "length": 20, "samples": 15_000}
SCALES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.5, 5.0, 6.5, 10.0, 15.0, 20.0, 50.0, 100.0)
SIZES = (128, 512, 2_048, 8_000, 15_000, 25_000)
STEPS = 3_000  # of a run whose number of steps is fixed
RATES = tuple(float(f"{10 ** (i / 6 - 4):.3g}") for i in range(25))  # 0.0001 to 1


def size_rows() -> list[Settings]:
    """Return training-set sizes at ten epochs each, and at a fixed number of steps."""
    return [
        {**task, "samples": samples, "scale": scale, "epochs": epochs}
        for task, samples in product((SMALL, MIDDLE), SIZES)
        for epochs in (10, max(1, round(STEPS / (samples // FIXED["batch_size"]))))
        for scale in (None, SEARCHED[task["vocabulary"]])
    ]


def place_rows() -> list[Settings]:
    """Return one factor f on the logits at the start, in four places where it can act.

    f = β √d: as β itself; as √f on W_q and on W_k; as that with the learning rate of both
    multiplied too; and the learning rate alone.
    """
    rows = []
    for task in (SMALL, MIDDLE):
        searched = SEARCHED[task["vocabulary"]]
        root = root_factor(task)
        for scale, gain, rate in (
            (None, 1.0, 1.0),
            (searched, 1.0, 1.0),
            (None, root, 1.0),
            (None, root, root),
            (None, 1.0, root),
        ):
            rows.append({**task, "scale": scale, "query_key_gain": gain, "query_key_rate": rate})
    return rows


def other_rows() -> list[Settings]:
    """Return the same factor on the rate of every parameter except W_q and W_k, and of all."""
    rows = []
    for task in (SMALL, MIDDLE):
        root = root_factor(task)
        faster = {"scale": None, "learning_rate": round(FIXED["learning_rate"] * root, 9)}
        rows += [{**task, **faster, "query_key_rate": r} for r in (round(1 / root, 9), 1.0)]
    return rows


def _training(
    name: str,
    purpose: str,
    rows: list[Settings],
    seeds: int,
    run: Callable[..., dict[str, Any]] = reverse_run,
    **others: Any,
) -> Experiment:
    """Declare trainings: what the rows do not vary is fixed as in the table."""
    fixed = {key: value for key, value in FIXED.items() if key not in rows[0]}
    fixed |= others.pop("fixed", {})
    others["agreement"] = None
    return Experiment(name, purpose, run, rows, seeds, fixed, training_cost, **others)


EXPERIMENTS = (
    _training(
        "table1",
        "Table 1 of source D at the paper's apparent settings.",
        table_rows(),
        seeds=10,
    ),
    _training(
        "table1_rates",
        "Table 1 at other learning rates.",
        [{**row, "learning_rate": rate} for row in table_rows() for rate in (1e-3, 3e-3, 1e-2)],
        seeds=5,
        seeds_of=lambda row, seeds: max(1, 3 * seeds // 5) if row["vocabulary"] == 1000 else seeds,
    ),
    _training(
        "scale_sweep",
        "Accuracy against β at two learning rates.",
        [
            {**task, "scale": scale, "learning_rate": rate}
            for task, rate, scale in product((SMALL, MIDDLE), (5e-4, 3e-3), (None, *SCALES))
        ],
        seeds=5,
    ),
    _training(
        "set_sizes", "Training-set size at fixed epochs and at fixed steps.", size_rows(), 5
    ),
    _training(
        "scale_places",
        "The same factor as β, in W_q and W_k, or in their rate.",
        place_rows(),
        seeds=10,
    ),
    _training(
        "other_places",
        "The same factor in the rate of all but W_q and W_k, or of all.",
        other_rows(),
        seeds=10,
    ),
    _training(
        "short_budget",
        "Three epochs in place of ten, at many learning rates.",
        [{**SMALL, "scale": None, "learning_rate": rate} for rate in RATES],
        seeds=5,
        run=accuracy_run,
        fixed={"epochs": 3},
    ),
    _training(
        "measured_scale",
        "β measured or searched while training, at three learning rates.",
        [
            {**task, "rule": rule, "every": every, "learning_rate": rate}
            for rate, task in product((5e-4, 1e-3, 3e-3), (SMALL, MIDDLE))
            for rule, every in (
                (None, "epoch"),
                *product(("weights", "scores"), ("epoch", "batch")),
                ("search", "epoch"),
            )
            if rate == FIXED["learning_rate"]
            or (every == "epoch" and (rule != "search" or rate == 1e-3))
        ],
        seeds=10,
    ),
    Experiment(
        name="five_steps",
        purpose="The five-step procedure of source D, and its winner from a new start.",
        run=procedure_run,
        rows=[{"vocabulary": 10, "length": 20}],
        seeds=10,
        fixed={"test_samples": 10_000},
        agreement=None,
    ),
    Experiment(
        name="fair_search",
        purpose="β searched against the learning rate searched, chosen on validation strings.",
        run=fair_run,
        rows=[{**SMALL, "searched": searched} for searched in ("scale", "rate")],
        seeds=10,
        fixed={"test_samples": 10_000},
        agreement=None,
    ),
    _training(
        "odd_strings",
        "Perfect models on strings that chance hardly draws.",
        [{**task, "scale": None} for task in (SMALL, MIDDLE)],
        seeds=10,
        run=odd_run,
        fixed={"learning_rate": 3e-3, "odd_samples": 2_000},
    ),
)
