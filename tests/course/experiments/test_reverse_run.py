"""A stored run of the reverse task is the run it says it is."""

import numpy as np
import pytest

from why_sqrt_d.ch6.runs import PROBED, reverse_run
from why_sqrt_d.ch6.table import table_rows
from why_sqrt_d.encoder.probe import probe_attention
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy
from why_sqrt_d.experiments.registry import all_experiments

TASK = {"vocabulary": 5, "length": 4, "samples": 256, "batch_size": 64, "epochs": 10}


def test_it_is_a_training_measured_after_each_part():
    results = reverse_run(seed=2, test_samples=50, **TASK)
    run = Training(TrainingSettings(**TASK), 2)
    probed, _ = run.unseen(PROBED)
    stds = []
    for _ in range(10):
        stds.append(probe_attention(run.params, probed, run.model).score_std)
        run.epoch()
    np.testing.assert_allclose(results["score_std"][:10], stds, rtol=1e-5)
    losses = np.reshape(run.losses, (10, 4)).mean(axis=1)
    np.testing.assert_allclose(results["train_loss"], losses, rtol=1e-5)
    accuracies = np.reshape(run.accuracies, (10, 4)).mean(axis=1)
    np.testing.assert_allclose(results["train_accuracy"], accuracies, rtol=1e-5)
    accuracy = measure_accuracy(run.params, *run.unseen(50), run.model)
    assert results["test_accuracy"] == accuracy


def test_long_runs_are_measured_ten_times_too():
    results = reverse_run(seed=0, test_samples=10, **{**TASK, "epochs": 37})
    assert len(results["train_loss"]) == 10
    assert len(results["score_std"]) == 11


@pytest.mark.parametrize("every", ["epoch", "batch"])
def test_a_rule_sets_the_scale(every):
    results = reverse_run(seed=0, test_samples=10, rule="scores", every=every, **TASK)
    assert len(results["scales"]) == 10
    # Set before the step and measured after it: nearly one.
    np.testing.assert_allclose(results["logit_std"][1:], 1, rtol=0.02 if every == "batch" else 0.2)


def test_table_has_the_rows_of_the_paper():
    rows = table_rows()
    assert len(rows) == 13
    assert sum(row["scale"] is None for row in rows) == 6
    table = all_experiments()["table1"]
    assert table.fixed["learning_rate"] == 5e-4
    seeds = [sum(without(s) == row for s in table.grid(10)) for row in rows]
    assert seeds == [3 if row["length"] == 200 else 10 for row in rows]


def without(settings):
    return {name: value for name, value in settings.items() if name != "seed"}


@pytest.mark.parametrize(
    "name",
    ["table1", "table1_rates", "scale_sweep", "set_sizes", "scale_places", "measured_scale"],
)
def test_every_setting_is_one_that_training_takes(name):
    experiment = all_experiments()[name]
    for settings in experiment.grid(1):
        given = {**experiment.fixed, **settings}
        for extra in ("seed", "test_samples", "rule", "every"):
            given.pop(extra, None)
        assert TrainingSettings(**given).learning_rate > 0
