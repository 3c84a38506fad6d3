"""Chapter 4's propositions about random rows, against rows and layers that are drawn."""

import numpy as np
import pytest

from attn_helpers.extremes import expected_maximum
from why_sqrt_d.ch4.flow import expected_square


@pytest.mark.parametrize("n", [2, 10, 100])
def test_close_races_carry_the_mean(n):
    """Proposition 4.2, far beyond the critical spread."""
    std = 400.0
    z = np.sort(std * np.random.default_rng(n).standard_normal((4_000_000 // n, n)))
    gap, m = np.diff(z)[:, -1], expected_maximum(n) / std
    race = 1 / (1 + np.exp(-gap))
    assert np.mean(gap < 1) == pytest.approx(m, rel=0.12)
    assert np.mean(2 * race * (1 - race)) == pytest.approx(m, rel=0.12)
    assert np.mean(4 * (race * (1 - race)) ** 2) == pytest.approx(m / 3, rel=0.12)


def test_the_mean_square_gradient_is_that_of_given_weights():
    """Proposition 4a.1: tokens, matrices and g are drawn, the weights of one row held fixed."""
    rng, d = np.random.default_rng(9), 6
    p = np.array([0.5, 0.3, 0.2])
    jacobian = np.diag(p) - np.outer(p, p)
    x = rng.standard_normal((60_000, 3, d))
    w_key, w_value = rng.standard_normal((2, 60_000, d, d)) / np.sqrt(d)
    g = rng.standard_normal((60_000, d, 1))
    to_query = 0.4 * (x @ w_key).swapaxes(1, 2) @ (jacobian @ (x @ w_value @ g))
    measured = np.mean((to_query**2).sum(axis=(1, 2)))
    assert expected_square(p, d, 0.4) == pytest.approx(measured, rel=0.03)


@pytest.mark.parametrize(("n", "rows"), [(64, 40_000), (1024, 4000)])
def test_beyond_the_critical_spread_many_keys_race(n, rows):
    """Proposition 4a.2 at m = ½, which the trace and the ratio approach slowly."""
    z = np.random.default_rng(12).standard_normal((rows, n))
    p = np.exp(2 * np.sqrt(2 * np.log(n)) * (z - z.max(axis=1, keepdims=True)))
    p /= p.sum(axis=1, keepdims=True)
    s2, s3 = (p**2).sum(axis=1), (p**3).sum(axis=1)
    assert np.mean(s2 - 2 * s3 + s2**2) == pytest.approx(1 / 12, rel=0.1)
    assert 0.35 < np.mean(1 - s2) < 0.5
    second, first = np.sort(p)[:, -2:].T
    assert np.mean(second / first < 0.25) == pytest.approx(0.5, abs=0.08)  # as U² is
