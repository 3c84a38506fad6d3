"""A stored run of the reverse task is the run it says it is."""

import numpy as np
import pytest

from why_sqrt_d.ch6.runs import PROBED, reverse_run
from why_sqrt_d.encoder.probe import probe_attention
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy
from why_sqrt_d.experiments.definition import all_experiments

TASK = {"vocabulary": 5, "length": 4, "samples": 256, "batch_size": 64, "epochs": 10}


def test_it_is_a_training_measured_after_each_part():
    results = reverse_run(seed=2, test_samples=50, **TASK)
    run = Training(TrainingSettings(**TASK), 2)
    probed, _ = run.unseen(PROBED)
    stds = []
    for _ in range(10):
        stds.append(probe_attention(run.params, probed, run.model).score_std)
        for _ in range(4):
            run.step()
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


def test_runs_that_take_long_get_fewer_seeds():
    experiment = all_experiments()["table1_rates"]
    for row in experiment.rows:
        found = [s["seed"] for s in experiment.settings() if row.items() <= s.items()]
        assert found == list(range(3 if row["vocabulary"] == 1000 else 5))


def test_every_setting_is_one_that_training_takes():
    for experiment in all_experiments().values():
        if experiment.run is reverse_run:
            for row in experiment.rows:
                given = {**experiment.fixed, **row}
                for extra in ("test_samples", "rule", "every"):
                    given.pop(extra, None)
                assert TrainingSettings(**given).learning_rate > 0
    assert all_experiments()["table1"].fixed["learning_rate"] == 5e-4
