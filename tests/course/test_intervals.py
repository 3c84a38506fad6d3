"""What a few runs say, against SciPy and by brute force."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from why_sqrt_d import intervals

RNG = np.random.default_rng(0)


def test_one_more_run_ends_inside_in_95_cases_of_100():
    """With log-odds that are normal, which is what the interval supposes."""
    inside = 0
    for _ in range(4000):
        accuracies = 1 / (1 + np.exp(-RNG.normal(-2, 0.7, 11)))
        low, high = intervals.next_run(accuracies[1:], places=10**9)
        inside += low <= accuracies[0] <= high
    assert 0.94 < inside / 4000 < 0.96


@pytest.mark.parametrize("size", [2, 3, 10, 20])
def test_a_means_interval_is_that_of_scipy(size):
    values = RNG.normal(3, 2, size)
    low, high = ttest_1samp(values, 0).confidence_interval()
    assert intervals.half_interval(values) == pytest.approx((high - low) / 2, rel=1e-6)


def test_an_interval_in_words_and_with_the_other_sign():
    fall = intervals.bootstrap_interval([-3.0, -1.0])
    assert fall.text(".1f") == "−2.0 (−3.0 to −1.0)"
    assert (-fall).text(".0%") == "200% (100% to 300%)"


def test_accuracies_of_zero_and_one_have_an_interval():
    low, high = intervals.next_run([1.0, 1.0, 0.99], places=100)
    assert 0.5 < low < 0.99 < high < 1
    assert intervals.next_run([0.0, 0.0], places=100) == pytest.approx((0.5 / 101, 0.5 / 101))


@pytest.mark.parametrize("sizes", [[3], [2, 4], [1, 2, 5, 3]])
def test_the_chance_of_low_ranks_is_that_of_counting_all(sizes):
    totals = [sum(ranks) for ranks in product(*(range(size + 1) for size in sizes))]
    for total in (0, 1, 2.5, sum(sizes) - 1, sum(sizes)):
        share = np.mean(np.array(totals) <= np.ceil(total))
        assert intervals.rank_chance(total, sizes) == pytest.approx(share, rel=1e-12)
