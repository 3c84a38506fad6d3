"""The largest of n normal logits, against closed forms, SciPy and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import attn_helpers as ah
from attn_helpers.extremes import _frozen_largest

SIZES = st.integers(2, 10**9)


def test_closed_forms_for_two_and_three() -> None:
    """E max = 1/√π and 3/(2√π), E gap = 2/√π and 3/(2√π): David & Nagaraja, section 3.2."""
    root = np.sqrt(np.pi)
    assert ah.extremes.expected_maximum(2) == pytest.approx(1 / root, rel=1e-13)
    assert ah.extremes.expected_maximum(3) == pytest.approx(1.5 / root, rel=1e-13)
    assert ah.extremes.expected_gap(2) == pytest.approx(2 / root, rel=1e-13)
    assert ah.extremes.expected_gap(3) == pytest.approx(1.5 / root, rel=1e-13)


@pytest.mark.parametrize("n", [2, 7, 100, 10**4, 10**8])
def test_moments_are_scipys_quadrature(n: int) -> None:
    def density(x: float) -> float:
        return float(n * stats.norm.pdf(x) * np.exp((n - 1) * special.log_ndtr(x)))

    def gap(x: float) -> float:
        return float(n * np.exp((n - 1) * special.log_ndtr(x)) * stats.norm.sf(x))

    top = integrate.quad(lambda x: x * density(x), -10, 12, limit=400, epsabs=1e-13)[0]
    lead = integrate.quad(gap, -10, 12, limit=400, epsabs=1e-13)[0]
    assert ah.extremes.expected_maximum(n) == pytest.approx(top, rel=1e-9)
    assert ah.extremes.expected_gap(n) == pytest.approx(lead, rel=1e-9)


def test_moments_are_what_simulation_finds() -> None:
    drawn = np.sort(np.random.default_rng(1).standard_normal((20_000, 50)), axis=-1)
    for seen, exact in (
        (drawn[:, -1], ah.extremes.expected_maximum(50)),
        (drawn[:, -1] - drawn[:, -2], ah.extremes.expected_gap(50)),
    ):
        assert abs(seen.mean() - exact) < 5 * seen.std() / np.sqrt(seen.size)


@given(SIZES)
def test_the_maximum_is_below_the_textbook_bound_and_the_gap_near_the_hazard(n: int) -> None:
    assert 0 < ah.extremes.expected_maximum(n) < ah.critical_std(n)
    assert ah.extremes.expected_gap(n) * ah.extremes.frozen_parameter(n, 1.0) == pytest.approx(
        0.95, abs=0.06
    )


@given(st.floats(1e-3, 0.999))
def test_frozen_largest_is_the_hypergeometric_integral(m: float) -> None:
    u = np.arange(-40, 4.4, 1 / 64)
    expected = np.sum(np.exp(u) / special.hyp1f1(1, 1 - m, np.exp(u))) / 64
    assert _frozen_largest(m) == pytest.approx(expected, rel=1e-9)
    # Σp² <= p_max <= 1 in every row, so also in the mean; the mean of Σp² is 1 - m.
    assert 1 - m < _frozen_largest(m) < 1


@pytest.mark.parametrize("m", [0.2, 0.5, 0.8])
def test_frozen_largest_is_that_of_a_poisson_dirichlet_sample(m: float) -> None:
    """Arrival times of a Poisson process to the power -1/m, normalised, have that law."""
    rng = np.random.default_rng(2)
    times = np.cumsum(rng.exponential(size=(4000, 3000)), axis=-1)
    weights = (times / times[:, :1]) ** (-1 / m)
    rest = times[:, -1] * (times[:, -1] / times[:, 0]) ** (-1 / m) * m / (1 - m)
    largest = 1 / (weights.sum(axis=-1) + rest)
    error = largest.std() / np.sqrt(largest.size)
    assert abs(largest.mean() - _frozen_largest(m)) < 5 * error


@pytest.mark.parametrize("m", [0.3, 0.5])
def test_the_weight_of_a_drawn_key_is_beta(m: float) -> None:
    """What the chapter says of the frozen phase: a weight drawn by itself is Beta(1 - m, m)."""
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.exponential(size=(4000, 3000)), axis=-1)
    weights = times ** (-1 / m)
    rest = weights[:, -1] * times[:, -1] * m / (1 - m)  # the terms beyond the last, on average
    total = weights.sum(axis=-1) + rest
    reached = np.cumsum(weights, axis=-1) > (total * rng.random(4000))[:, None]
    first = np.where(reached.any(axis=-1), reached.argmax(axis=-1), 2999)
    drawn = weights[np.arange(4000), first] / total
    assert stats.kstest(drawn, stats.beta(1 - m, m).cdf).pvalue > 1e-3
    assert stats.beta(1 - m, m).mean() == pytest.approx(1 - m)
    mean_log = stats.beta(1 - m, m).expect(lambda p: -np.log(p))
    assert mean_log == pytest.approx(special.digamma(1) - special.digamma(1 - m), rel=1e-6)


@pytest.mark.parametrize("n", [64, 1024, 16384])
@pytest.mark.parametrize("fraction", [0.1, 0.3])
def test_largest_weight_in_the_liquid_phase(n: int, fraction: float) -> None:
    std = fraction * ah.critical_std(n)
    seen = ah.saturation.simulate_saturation(
        n, np.full(1000, std), np.random.default_rng(n)
    ).largest
    assert seen.mean() == pytest.approx(ah.extremes.predicted_largest(n, std), rel=0.05)


@pytest.mark.parametrize("n", [64, 1024])
def test_largest_weight_in_the_frozen_phase(n: int) -> None:
    std = 3 * ah.critical_std(n)
    seen = ah.saturation.simulate_saturation(
        n, np.full(4000, std), np.random.default_rng(n)
    ).largest
    assert seen.mean() == pytest.approx(ah.extremes.predicted_largest(n, std), rel=0.04)


def test_nothing_is_claimed_between_the_phases() -> None:
    assert np.isnan(ah.extremes.predicted_largest(1024, 0.8 * ah.critical_std(1024)))


@given(SIZES, st.floats(1e-3, 60))
def test_predictions_are_weights(n: int, std: float) -> None:
    largest = ah.extremes.predicted_largest(n, std)
    assert np.isnan(largest) or (1 - 1e-9) / n <= largest <= 1


def test_bad_input_is_quoted() -> None:
    for function in (ah.extremes.expected_maximum, ah.extremes.expected_gap):
        with pytest.raises(ValueError, match="at least 2 keys, got 1"):
            function(1)
        with pytest.raises(TypeError, match=r"2\.5"):
            function(2.5)
    with pytest.raises(ValueError, match=r"std must be a finite number > 0, got -1\.0"):
        ah.extremes.predicted_largest(10, -1.0)
