import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from why_sqrt_d.experiments.summary import select, summarise

VALUES = [0.141, 0.98, 0.954, 0.997, 0.16, 0.91, 0.99, 0.31, 0.957, 0.96]


def test_against_numpy_and_scipy():
    found = summarise(VALUES)
    assert (found.n, found.smallest, found.largest) == (10, 0.141, 0.997)
    assert found.mean == pytest.approx(np.mean(VALUES))
    assert found.std == pytest.approx(np.std(VALUES, ddof=1))
    assert found.median == np.median(VALUES)
    expected = bootstrap((VALUES,), np.mean, method="percentile", n_resamples=20_000, rng=1)
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=0.01)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=0.01)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_the_mean_is_inside(values):
    found = summarise(values)
    slack = 1e-9 * (1 + abs(found.mean))
    assert found.smallest - slack <= found.low <= found.mean + slack
    assert found.mean - slack <= found.high <= found.largest + slack


def test_one_seed_has_no_spread():
    found = summarise([0.5])
    assert np.isnan(found.std)
    assert (found.low, found.high) == (0.5, 0.5)


def test_the_same_seed_gives_the_same_interval():
    assert summarise(VALUES, seed=3) == summarise(VALUES, seed=3)


def test_bad_values():
    for values, said in (
        ([], "empty"),
        ([0.1, float("nan")], r"values\[1\] is nan"),
        ([float("inf")], "inf"),
    ):
        with pytest.raises(ValueError, match=said):
            summarise(values)


def test_select():
    rows = [{"d": 4, "scale": None}, {"d": 4, "scale": 2.0}, {"d": 8, "scale": None}]
    assert select(rows, d=4) == rows[:2]
    assert select(rows, scale=None, d=8) == rows[2:]
    with pytest.raises(KeyError, match="no stored row has d = 16, scale = None"):
        select(rows, d=16, scale=None)
    with pytest.raises(KeyError, match="sclae"):  # a name that no row has is not None there
        select(rows, sclae=None)
