"""A stored run of the reverse task is the run it says it is; the odd strings are odd."""

from itertools import count

import numpy as np
import pytest

from research.ch7.reverse_runs import PROBED, odd_strings, reverse_run
from research.ch7.scale_rules import RULES, probe_attention
from why_sqrt_d.encoder import Training, TrainingSettings

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
    for name, values in (("train_loss", run.losses), ("train_accuracy", run.accuracies)):
        means = np.reshape(values, (10, 4)).mean(axis=1)
        np.testing.assert_allclose(results[name], means, rtol=1e-5)
    assert results["test_accuracy"] == run.test(50)


@pytest.mark.parametrize(("every", "ends"), [("epoch", range(1, 11)), ("batch", range(4, 41, 4))])
def test_a_rule_sets_the_scale(monkeypatch, every, ends):
    calls = count(1)
    monkeypatch.setitem(RULES, "counted", lambda *given: float(next(calls)))
    results = reverse_run(seed=0, test_samples=10, rule="counted", every=every, **TASK)
    assert results["scales"] == [*ends]
    expected = np.multiply(results["scales"], results["score_std"][1:])
    np.testing.assert_allclose(results["logit_std"][1:], expected, rtol=1e-5)


def test_odd_strings_are_what_they_say():
    kinds = odd_strings(np.random.default_rng(0), 300, 7, 9)
    assert {tokens.shape for tokens in kinds.values()} == {(300, 9)}
    assert all(tokens.min() == 0 and tokens.max() == 6 for tokens in kinds.values())
    assert (np.ptp(kinds["one token"], axis=1) == 0).all()
    changes = (kinds["one other"] != np.median(kinds["one other"], axis=1)[:, None]).sum(axis=1)
    assert set(changes) == {0, 1}
    assert max(len(set(row)) for row in kinds["two tokens"].tolist()) == 2
    assert (np.diff(kinds["ascending"], axis=1) >= 0).all()
    np.testing.assert_array_equal(kinds["palindrome"], kinds["palindrome"][:, ::-1])
    assert len(np.unique(kinds["palindrome"], axis=0)) > 290
