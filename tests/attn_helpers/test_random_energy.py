"""The random energy model's closed forms, against SciPy and against simulated softmax rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import attn_helpers as ah
from attn_helpers.extremes import _digamma

SIZES = st.integers(2, 10**6)
STDS = st.floats(1e-3, 50)


def simulate(n: int, std: float, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Entropies and Σp² of softmax rows over n normal logits."""
    rng = np.random.default_rng(n)
    weights = ah.softmax(std * rng.standard_normal((rows, n)))
    return ah.entropy(weights), 1 / ah.effective_keys(weights)


@given(st.floats(1e-6, 1e6))
def test_digamma_is_scipys(x: float) -> None:
    assert _digamma(x) == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-12)


@given(SIZES)
def test_critical_std_bounds_the_mean_maximum(n: int) -> None:
    """sqrt(2 ln n) is an upper bound on the mean maximum of n standard normal variables."""
    median = stats.norm.ppf(0.5 ** (1 / n))
    assert ah.critical_std(n) == pytest.approx(np.sqrt(2 * np.log(n)))
    assert median < ah.critical_std(n) + 0.3


@given(SIZES, STDS)
def test_frozen_parameter_is_the_normal_hazard(n: int, std: float) -> None:
    b = stats.norm.isf(1 / n)
    expected = n * stats.norm.pdf(b) / std
    assert ah.extremes.frozen_parameter(n, std) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n", [1024, 16384])
@pytest.mark.parametrize("fraction", [0.15, 0.3])
def test_liquid_phase(n: int, fraction: float) -> None:
    std = fraction * ah.critical_std(n)
    entropy, participation = simulate(n, std, rows=200_000 // n + 100)
    assert entropy.mean() == pytest.approx(ah.extremes.predicted_entropy(n, std), abs=0.02)
    assert participation.mean() == pytest.approx(
        ah.extremes.predicted_participation(n, std), rel=0.05
    )


@pytest.mark.parametrize("n", [1024, 16384])
@pytest.mark.parametrize("fraction", [3.0, 5.0])
def test_frozen_phase(n: int, fraction: float) -> None:
    std = fraction * ah.critical_std(n)
    rows = 4_000_000 // n
    entropy, participation = simulate(n, std, rows)
    for seen, predicted in (
        (entropy, ah.extremes.predicted_entropy(n, std)),
        (participation, ah.extremes.predicted_participation(n, std)),
    ):
        error = seen.std(ddof=1) / np.sqrt(rows)
        # The model is a statement about large n: what is left is its own error, under 10 %.
        assert abs(seen.mean() - predicted) < 5 * error + 0.1 * predicted


def test_between_the_phases_nothing_is_claimed_for_the_participation() -> None:
    assert np.isnan(ah.extremes.predicted_participation(1024, 0.8 * ah.critical_std(1024)))


@pytest.mark.parametrize("n", [2, 16, 1024, 10**6])
def test_just_inside_the_frozen_phase_the_entropy_is_no_more_than_ln_n(n: int) -> None:
    """There m is just below 1, and ψ(1) - ψ(1 - m) grows without bound."""
    std = max(ah.critical_std(n), 1.01 * ah.extremes.frozen_parameter(n, 1.0))
    m = ah.extremes.frozen_parameter(n, std)
    assert m < 1
    assert special.digamma(1) - special.digamma(1 - m) > np.log(n)
    assert ah.extremes.predicted_entropy(n, std) == np.log(n)


@given(SIZES, STDS)
def test_predictions_stay_in_range(n: int, std: float) -> None:
    entropy = ah.extremes.predicted_entropy(n, std)
    assert np.isnan(entropy) or -1e-12 <= entropy <= np.log(n)
    participation = ah.extremes.predicted_participation(n, std)
    assert np.isnan(participation) or 0 < participation < 1


@pytest.mark.parametrize(
    ("n", "margin", "scale"), [(1000, 8.0, 1.0), (4000, 6.0, 1.5), (50, 2.0, 0.5)]
)
def test_needle_against_simulation(n: int, margin: float, scale: float) -> None:
    rng = np.random.default_rng(3)
    logits = scale * rng.standard_normal((2000, n + 1))
    logits[:, 0] = scale * margin
    weight = ah.softmax(logits)[:, 0]
    assert weight.mean() == pytest.approx(ah.extremes.needle_weight(n, margin, scale), abs=0.02)


@given(SIZES, st.floats(-1e4, 1e4), st.floats(0, 100))
def test_needle_is_a_weight_whatever_is_asked(n: int, margin: float, scale: float) -> None:
    assert 0 <= ah.extremes.needle_weight(n, margin, scale) <= 1


def test_needle_without_scale_is_uniform() -> None:
    assert ah.extremes.needle_weight(99, margin=5.0, scale=0.0) == pytest.approx(0.01)


@pytest.mark.parametrize("d", [4, 64, 128])
def test_capacity_is_where_the_needle_has_half(d: int) -> None:
    n = round(ah.extremes.qk_norm_capacity(d))
    assert ah.extremes.needle_weight(n, margin=np.sqrt(d)) == pytest.approx(0.5, abs=0.03)


def test_bad_input_is_quoted() -> None:
    with pytest.raises(ValueError, match="at least 2 keys, got 1"):
        ah.critical_std(1)
    with pytest.raises(ValueError, match=r"std must be a finite number > 0, got 0\.0"):
        ah.extremes.frozen_parameter(10, 0)
    with pytest.raises(ValueError, match="-1"):
        ah.extremes.needle_weight(10, 1.0, scale=-1)
    with pytest.raises(TypeError, match=r"2\.5"):
        ah.extremes.qk_norm_capacity(2.5)
