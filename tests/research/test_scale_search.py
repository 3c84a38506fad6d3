"""The search for β where the peak is known, the five steps, and the fair search on a tiny task."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.ch7 import scale_search as searches
from research.ch7.scale_search import best, bracket_scale, five_steps, refine_scale
from why_sqrt_d.encoder import Training, TrainingSettings

TINY = {"vocabulary": 3, "length": 4}


def peak(at):
    return lambda beta: -abs(math.log10(beta / at))


@given(st.floats(-2.9, 2.9), st.integers(1, 6))
def test_one_peak_is_bracketed_and_approached(power, rounds):
    score = peak(10**power)
    search = bracket_scale(score)
    scales = [0, *sorted(search), math.inf]
    at = scales.index(best(search))
    assert scales[at - 1] <= 10**power * 1.0001
    assert scales[at + 1] >= 10**power * 0.9999
    refined = refine_scale(score, search, rounds)
    assert abs(math.log10(best(refined)) - power) <= 2.0**-rounds + 1e-9
    assert len(refined) <= len(search) + 2 * rounds


def test_powers_are_tried_in_the_order_of_the_source_until_both_sides_have_fallen():
    assert list(bracket_scale(lambda beta: beta, max_power=2)) == [1.0, 10.0, 0.1, 100.0, 0.01]
    assert list(bracket_scale(peak(1.2))) == [1.0, 10.0, 0.1]
    assert len(bracket_scale(lambda beta: 1.0, max_power=3)) == 7  # a plateau does not stop it


def trained(samples, scale):
    """More data and a scale nearer 10 are better; d^-1/2 is 0.25."""
    beta = 0.25 if scale is None else scale
    return min(1.0, samples / 1000 / (1 + abs(math.log10(beta / 10))))


def test_the_five_steps_in_their_order():
    done = five_steps(trained, [400, 800, 1200, 2400], keep=0.7)
    trail = list(zip(done["steps"], done["samples"], done["scales"], strict=True))
    assert trail[:3] == [(1, 400, 1.0), (2, 800, 1.0), (2, 1200, 1.0)]
    assert trail[-3:] == [(4, 800, 10.0), (4, 400, 10.0), (5, 800, None)]
    assert {(step, samples) for step, samples, _ in trail[3:-3]} == {(3, 1200)}
    assert (done["chosen_samples"], done["chosen_scale"]) == (800, 10.0)
    assert done["new_accuracy"] == trained(800, 10.0)
    assert done["old_accuracy"] == trained(800, None)


def test_nothing_could_be_taken_away_and_no_size_is_enough():
    done = five_steps(trained, [400, 800, 1200], keep=0.99)
    assert (done["chosen_samples"], done["new_accuracy"]) == (1200, 1.0)
    with pytest.raises(ValueError, match=r"no size of \[100, 200\] gives more than 0\.5"):
        five_steps(trained, [100, 200])


def test_the_procedures_winner_is_trained_again_from_a_new_start(monkeypatch):
    def easier(train, sizes, **how):  # step 2 asks for more than half; by chance it is a third
        return five_steps(train, (128, 256), enough=0.2, rounds=1, max_power=1)

    monkeypatch.setattr(searches, "five_steps", easier)
    results = searches.procedure_run(seed=0, test_samples=50, **TINY)
    settings = TrainingSettings(3, 4, results["chosen_samples"], results["chosen_scale"])
    again = Training(settings, searches.NEW_START).finish()
    assert results["new_start_accuracy"] == again.test(50)
    assert results["old_accuracy"] == results["accuracies"][-1]


@given(st.floats(-3.5, 3.5))
def test_nine_trials_always_and_the_peak_is_approached(power):
    """Where the peak lies beyond what is tried first, the search goes towards it."""
    search = searches.nine_trials(peak(10**power))
    assert len(search) == 9
    assert abs(math.log10(best(search)) - power) <= max(0.25, abs(power) - 2.5) + 1e-9


@pytest.mark.parametrize("searched", ["scale", "rate"])
def test_the_fair_search_chooses_on_validation_and_tests_a_new_start(searched):
    results = searches.fair_run(seed=1, test_samples=50, searched=searched, samples=128, **TINY)
    assert results["factors"][:5] == [1.0, 10.0, 0.1, 100.0, 0.01]  # of both
    assert results["validation_accuracy"] == pytest.approx(max(results["accuracies"]), rel=1e-5)
    factors = [*results["factors"][:2], results["chosen"]]
    for factor, start in zip(factors, (0, 1, 9), strict=True):  # each trial has its own
        how = {"scale": factor} if searched == "scale" else {"learning_rate": 5e-4 * factor}
        run = Training(TrainingSettings(3, 4, 128, **how), 2 * searches.NEW_START + start).finish()
        validation = run.test(1_000)  # these strings come first
        if start == 9:
            assert results["test_accuracy"] == run.test(50)
        else:
            assert results["accuracies"][start] == pytest.approx(validation, rel=1e-5)
