"""The five-step procedure and the fair search, on a task so small that they take a second."""

import pytest

from why_sqrt_d.ch6 import searched as searches
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy

TINY = {"vocabulary": 3, "length": 4}


def test_the_procedure_is_recorded_whole(monkeypatch):
    monkeypatch.setattr(searches, "SIZES", (128, 256))
    # Its step 2 asks for more than half; three tokens by chance give a third.
    monkeypatch.setattr(searches, "five_steps", lambda train, sizes, **how: five(train, sizes))
    results = searches.procedure_run(seed=0, test_samples=50, **TINY)
    assert results["steps"] == sorted(results["steps"])
    assert {*results["steps"]} == {1, 3, 4, 5} or {*results["steps"]} == {1, 3, 5}
    lengths = {len(results[name]) for name in ("steps", "samples", "scales", "accuracies")}
    assert len(lengths) == 1
    assert results["scales"][-1] is None
    assert results["old_accuracy"] == results["accuracies"][-1]
    settings = TrainingSettings(3, 4, results["chosen_samples"], results["chosen_scale"])
    again = Training(settings, searches.NEW_START)
    again.finish()
    accuracy = measure_accuracy(again.params, *again.unseen(50), again.model)
    assert results["new_start_accuracy"] == accuracy


def five(train, sizes):
    from why_sqrt_d.encoder.searches import five_steps

    return five_steps(train, sizes, enough=0.2, rounds=1, max_power=1)


def setting(searched, factor):
    return {"scale": factor} if searched == "scale" else {"learning_rate": 5e-4 * factor}


@pytest.mark.parametrize("searched", ["scale", "rate"])
def test_the_fair_search_chooses_on_validation_and_tests_a_new_start(searched):
    results = searches.fair_run(seed=0, test_samples=50, searched=searched, samples=128, **TINY)
    best = max(results["accuracies"])
    assert results["validation_accuracy"] == pytest.approx(best, rel=1e-5)
    run = Training(TrainingSettings(3, 4, 128, **setting(searched, results["chosen"])), 0)
    run.finish()
    validation = measure_accuracy(run.params, *run.unseen(1_000), run.model)
    assert results["validation_accuracy"] == validation
    assert results["chosen"] in [pytest.approx(factor, rel=1e-5) for factor in results["factors"]]
    again = TrainingSettings(3, 4, 128, **setting(searched, results["chosen"]))
    run = Training(again, searches.NEW_START)
    run.finish()
    run.unseen(1_000)  # the validation strings come first
    accuracy = measure_accuracy(run.params, *run.unseen(50), run.model)
    assert results["test_accuracy"] == accuracy


def test_both_searches_try_the_same_factors_first():
    tried = [
        searches.fair_run(seed=0, test_samples=5, searched=s, samples=128, **TINY)["factors"][:3]
        for s in ("scale", "rate")
    ]
    assert tried[0] == tried[1] == [1.0, 10.0, 0.1]
