import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from why_sqrt_d.encoder.searches import bracket_scale, five_steps, refine_scale


def peak(at):
    return lambda beta: -abs(math.log10(beta / at))


@given(st.floats(-2.9, 2.9), st.integers(1, 6))
def test_one_peak_is_bracketed_and_approached(power, rounds):
    score = peak(10**power)
    search = bracket_scale(score)
    low, high = search.neighbours()
    assert low <= 10**power * 1.0001
    assert high >= 10**power * 0.9999
    best = refine_scale(score, search, rounds).best.scale
    assert abs(math.log10(best) - power) <= 2.0**-rounds + 1e-9


def test_the_powers_are_tried_in_the_order_of_the_source():
    search = bracket_scale(lambda beta: beta, max_power=2)
    assert [trial.scale for trial in search.trials] == [1.0, 10.0, 0.1, 100.0, 0.01]
    assert [trial.why for trial in search.trials] == ["10^0", "10^1", "10^-1", "10^2", "10^-2"]


def test_it_stops_when_both_sides_have_fallen():
    assert [t.scale for t in bracket_scale(peak(1.2)).trials] == [1.0, 10.0, 0.1]


def test_a_plateau_does_not_stop_it():
    assert len(bracket_scale(lambda beta: 1.0, max_power=3).trials) == 7


def test_two_peaks_mislead_it():
    """A low peak at 1 hides a high one at 100."""

    def score(beta):
        return max(0.5 + peak(1)(beta), 1 + peak(100)(beta))

    assert bracket_scale(score).best.scale == 1.0
    assert score(100) > score(1)


def test_no_value_is_tried_twice():
    search = refine_scale(peak(3), bracket_scale(peak(3)), rounds=5)
    scales = [trial.scale for trial in search.trials]
    assert len(scales) == len(set(scales))


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_an_overflow_counts_as_the_worst(bad):
    def score(beta):
        return bad if beta > 5 else beta

    search = bracket_scale(score)
    assert search.best.scale == 1.0
    assert all(not math.isnan(trial.score) for trial in search.trials)


def test_a_search_keeps_its_trials():
    search = bracket_scale(peak(3))
    count = len(search.trials)
    assert refine_scale(peak(3), search, 1) is search
    assert len(search.trials) == count + 2
    assert search.trials[-1].why == "halving 1"


@pytest.mark.parametrize("count", [0, -1])
def test_counts(count):
    with pytest.raises(ValueError, match=f"max_power must be an integer >= 1, got {count}"):
        bracket_scale(peak(1), count)
    with pytest.raises(ValueError, match=f"rounds must be an integer >= 1, got {count}"):
        refine_scale(peak(1), bracket_scale(peak(1)), count)


def trained(samples, scale):
    """More data and a scale nearer 10 are better; d^-1/2 is 0.25."""
    beta = 0.25 if scale is None else scale
    return min(1.0, samples / 1000 / (1 + abs(math.log10(beta / 10))))


def test_the_five_steps_in_their_order():
    done = five_steps(trained, [400, 800, 1200, 2400], keep=0.7)
    steps = [d.step for d in done.decisions]
    assert steps == sorted(steps)
    assert set(steps) == {1, 2, 3, 4, 5}
    assert [(d.samples, d.scale) for d in done.decisions if d.step < 3] == [
        (400, 1.0),
        (800, 1.0),
        (1200, 1.0),
    ]
    assert all(d.samples == 1200 for d in done.decisions if d.step == 3)
    assert done.scale == 10.0
    assert [d.samples for d in done.decisions if d.step == 4] == [800, 400]
    assert done.samples == 800
    assert done.new_accuracy == trained(800, 10.0)
    assert done.old_accuracy == trained(800, None)
    assert (done.decisions[-1].step, done.decisions[-1].scale) == (5, None)


def test_new_accuracy_when_nothing_could_be_taken_away():
    done = five_steps(trained, [400, 800, 1200], keep=0.99)
    assert done.samples == 1200
    assert done.new_accuracy == 1.0


def test_no_size_is_enough():
    with pytest.raises(
        ValueError, match=r"no size of \[100, 200\] gives more than 0\.5 .* 0\.05, 0\.1"
    ):
        five_steps(trained, [100, 200])


@pytest.mark.parametrize("sizes", [[], [2, 1], [1, 1]])
def test_sizes_must_rise(sizes):
    with pytest.raises(ValueError, match="sizes must rise"):
        five_steps(trained, sizes)
