"""Largest logits and the random energy model: closed forms, SciPy and simulated rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import attn_helpers as ah
from attn_helpers.extremes import (
    _digamma,
    expected_gap,
    expected_maximum,
    frozen_parameter,
    predicted_entropy,
    predicted_participation,
)
from attn_helpers.saturation import simulate_saturation

SIZES = st.integers(2, 10**9)


@pytest.mark.parametrize("n", [2, 7, 100, 10**4, 10**8])
def test_moments_are_scipys_quadrature(n: int) -> None:
    def density(x: float) -> float:
        return float(n * stats.norm.pdf(x) * np.exp((n - 1) * special.log_ndtr(x)))

    def gap(x: float) -> float:
        return float(n * np.exp((n - 1) * special.log_ndtr(x)) * stats.norm.sf(x))

    top = integrate.quad(lambda x: x * density(x), -10, 12, limit=400, epsabs=1e-13)[0]
    lead = integrate.quad(gap, -10, 12, limit=400, epsabs=1e-13)[0]
    assert expected_maximum(n) == pytest.approx(top, rel=1e-9)
    assert expected_gap(n) == pytest.approx(lead, rel=1e-9)


@given(SIZES)
def test_the_maximum_is_below_the_textbook_bound_and_the_gap_near_the_hazard(n: int) -> None:
    assert ah.critical_std(n) == pytest.approx(np.sqrt(2 * np.log(n)))
    assert 0 < expected_maximum(n) < ah.critical_std(n)
    assert expected_gap(n) * frozen_parameter(n, 1.0) == pytest.approx(0.95, abs=0.06)


@given(SIZES, st.floats(1e-3, 50))
def test_frozen_parameter_is_the_normal_hazard(n: int, std: float) -> None:
    expected = n * stats.norm.pdf(stats.norm.isf(1 / n)) / std
    assert frozen_parameter(n, std) == pytest.approx(expected, rel=1e-6)


@given(st.floats(1e-6, 1e6))
def test_digamma_is_scipys(x: float) -> None:
    assert _digamma(x) == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("m", [0.1, 0.3, 0.5, 0.8])
def test_means_of_the_frozen_phase_are_those_of_poisson_dirichlet_samples(m: float) -> None:
    """Arrival times of a Poisson process to the power -1/m, normalised, have that law."""
    times = np.cumsum(np.random.default_rng(2).exponential(size=(5000, 500)), axis=-1)
    terms = (times / times[:, :1]) ** (-1 / m)
    # Beyond 500 points the sum is replaced by its mean: an integral over the rest.
    beyond = terms[:, -1:] * times[:, -1:] * m / (1 - m)
    p = terms / (terms.sum(axis=-1, keepdims=True) + beyond)
    squares = np.square(p).sum(axis=-1)
    for measured, expected in (
        (squares, 1 - m),
        (squares - 2 * (p**3).sum(axis=-1) + squares**2, m * (1 - m) / 3),  # of the Jacobian
    ):
        assert abs(measured.mean() - expected) < 5 * measured.std() / len(p) ** 0.5


@pytest.mark.parametrize("n", [64, 1024, 16384])
@pytest.mark.parametrize("fraction", [0.15, 0.3])
def test_liquid_phase(n: int, fraction: float) -> None:
    std, rows = fraction * ah.critical_std(n), 200
    seen = simulate_saturation(n, np.full(rows, std), np.random.default_rng(n))
    assert seen.entropy.mean() == pytest.approx(predicted_entropy(n, std), abs=0.04)
    if n > 64:
        participation = np.mean(1 / seen.effective)
        assert participation == pytest.approx(predicted_participation(n, std), rel=0.05)


@pytest.mark.parametrize(("n", "rows"), [(64, 4000), (1024, 4000), (16384, 250)])
@pytest.mark.parametrize("fraction", [3.0, 5.0])
def test_frozen_phase(n: int, rows: int, fraction: float) -> None:
    std = fraction * ah.critical_std(n)
    found = simulate_saturation(n, np.full(rows, std), np.random.default_rng(n))
    for seen, predicted, off in (
        (found.entropy, predicted_entropy(n, std), 0.1),
        (1 / found.effective, predicted_participation(n, std), 0.1),
    ):
        # The model is a statement about large n: what is left is its own error.
        assert abs(seen.mean() - predicted) < 5 * seen.std() / rows**0.5 + off * predicted


def test_nothing_is_claimed_between_the_phases() -> None:
    assert np.isnan(predicted_participation(1024, 0.8 * ah.critical_std(1024)))


@pytest.mark.parametrize("n", [2, 16, 1024, 10**6])
def test_just_inside_the_frozen_phase_the_entropy_is_no_more_than_ln_n(n: int) -> None:
    """There m is just below 1, and ψ(1) - ψ(1 - m) grows without bound."""
    std = max(ah.critical_std(n), 1.01 * frozen_parameter(n, 1.0))
    m = frozen_parameter(n, std)
    assert m < 1
    assert special.digamma(1) - special.digamma(1 - m) > np.log(n)
    assert predicted_entropy(n, std) == np.log(n)


@given(SIZES, st.floats(1e-3, 60))
def test_predictions_stay_in_range(n: int, std: float) -> None:
    entropy, participation = predicted_entropy(n, std), predicted_participation(n, std)
    assert np.isnan(entropy) or -1e-12 <= entropy <= np.log(n)
    assert np.isnan(participation) or 0 < participation < 1


def test_bad_input_is_quoted() -> None:
    for function in (expected_maximum, expected_gap, ah.critical_std):
        with pytest.raises(ValueError, match="at least 2 keys, got 1"):
            function(1)
    with pytest.raises(ValueError, match=r"std must be a finite number > 0, got 0\.0"):
        frozen_parameter(10, 0)
