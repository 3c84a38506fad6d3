from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.stats
from measured import peak

from attn_helpers import (
    Gaussian,
    Uniform,
    score_statistics,
    simulate_rows,
    simulate_scores,
)
from attn_helpers.exact import (
    exact_score_moments,
    independent_outcomes,
    shared_magnitude_outcomes,
    shared_sign_outcomes,
)
from attn_helpers.laws import (
    Aligned,
    Correlated,
    SharedMagnitude,
    SharedSign,
    _independent_moments,
)

LAWS = [
    Gaussian(),
    Gaussian(0.5, 2.0),
    Uniform(),
    Uniform(-1.0, 3.0),
    Correlated(0.5),
    Correlated(0.3, -0.2),
    Correlated(-0.2),
    Aligned(0.7),
    Aligned(-1.0),
    SharedMagnitude(),
    SharedMagnitude(0.25),
    SharedSign(),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("d", [1, 5])
def test_moments_agree_with_simulation_within_five_standard_errors(law, d):
    scores = simulate_scores(law, d, 200_000, np.random.default_rng(d))
    got, expected = score_statistics(scores), law.moments(d)
    assert abs(got.mean - expected.mean) <= 5 * got.mean_se
    assert abs(got.variance - expected.variance) <= 5 * got.variance_se + 1e-9
    # Kurtosis: standard error from 50 batches, as it needs the eighth moment.
    batches = [score_statistics(b).kurtosis for b in scores.reshape(50, -1)]
    error = np.std(batches, ddof=1) / np.sqrt(50)
    bias = 20 * abs(expected.kurtosis) ** 2 / len(scores)
    assert abs(got.kurtosis - expected.kurtosis) <= 6 * error + bias + 1e-3


@pytest.mark.parametrize("law", [Gaussian(), Gaussian(0.5, 2.0)], ids=repr)
def test_rows_share_their_query(law):
    """The variance in a row is E[Var(q·k | q)] = d·σ²·E[q_i²]; the mean's part shifts the row."""
    inside = 4 * law.std**2 * (law.std**2 + law.mean**2)
    rows = simulate_rows(law, 4, 12, 20_000, np.random.default_rng(1))
    assert rows.shape == (20_000, 12)
    variances = rows.var(axis=1, ddof=1)
    error = variances.std() / np.sqrt(len(variances))
    assert abs(variances.mean() - inside) <= 5 * error
    # Shift and row part make up the total: the shift varies between rows only.
    total = law.moments(4).variance
    between = rows.mean(axis=1).var(ddof=1)
    error = between * np.sqrt(2 / len(rows)) * 2
    assert abs(between - (total - inside * 11 / 12)) <= 5 * error


def test_independent_moments_agree_with_exact_enumeration():
    """Of components -1, 1 or 3, symmetric about 1: the central moments are 2 and 8."""
    law = {-1: Fraction(1, 4), 1: Fraction(1, 2), 3: Fraction(1, 4)}
    for d in (1, 2, 3):
        exact = exact_score_moments(independent_outcomes(law, d))
        got = _independent_moments(1.0, 2.0, 8.0, d)
        expected = [float(exact.mean), float(exact.variance), float(exact.kurtosis)]
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_dependent_laws_agree_with_exact_enumeration():
    for d in (1, 2, 5):
        for exact, law in (
            (exact_score_moments(shared_sign_outcomes(d)), SharedSign()),
            (exact_score_moments(shared_magnitude_outcomes(d)), SharedMagnitude(0.25)),
        ):
            expected = [float(exact.mean), float(exact.variance), float(exact.kurtosis)]
            np.testing.assert_allclose(law.moments(d), expected, rtol=1e-14)


def test_no_variance_has_no_kurtosis():
    assert np.isnan(Gaussian(std=0.0).moments(3).kurtosis)
    assert Gaussian(std=0.0).moments(3).variance == 0


def test_shared_magnitude_has_exactly_normal_components():
    query, key = SharedMagnitude().sample(np.random.default_rng(0), 20_000, 1)
    for sample in (query, key):
        assert scipy.stats.kstest(sample.ravel(), "norm").pvalue > 1e-3


def test_score_statistics_agree_with_scipy():
    s = np.random.default_rng(0).gamma(2.0, size=1001)
    got = score_statistics(s)
    assert got.mean == pytest.approx(s.mean())
    assert got.variance == pytest.approx(s.var(ddof=1))
    assert got.kurtosis == pytest.approx(scipy.stats.kurtosis(s, fisher=False))
    assert got.mean_se == pytest.approx(scipy.stats.sem(s))
    assert got.count == 1001


def test_the_error_of_a_variance_is_that_over_all_resamples():
    """Of four scores: the spread of their variance over all 256 ways to draw them again."""
    scores = np.array([0.0, 1.0, 1.5, 4.0])
    again = np.array(list(product(scores, repeat=4)))
    spread = again.var(axis=-1, ddof=1).std()
    assert score_statistics(scores).variance_se == pytest.approx(spread, rel=1e-12)


@pytest.mark.parametrize("law", [Gaussian(), Correlated(0.5), SharedMagnitude(0.25)], ids=repr)
def test_memory_does_not_grow_with_the_number_of_rows(law):
    rng = np.random.default_rng(0)
    assert peak(simulate_scores, law, 1000, 8_000, rng)[1] < 64e6  # of 128 MB of queries and keys


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Gaussian(std=-1.0), ValueError, "^std must be a finite number >= 0, got -1.0$"),
        (lambda: Aligned(1.5), ValueError, r"^rho must be a finite number in \[-1, 1\], got 1.5$"),
        (lambda: Correlated(-0.5).moments(5), ValueError, "cannot have correlation -0.5 < -0.25$"),
        (lambda: Gaussian().moments(0), ValueError, "^d must be an integer >= 1, got 0$"),
        (lambda: simulate_scores(Gaussian(), 3, 0, RNG), ValueError, "^rows must be an integer"),
        (
            lambda: simulate_rows(Aligned(0.5), 3, 4, 5, RNG),
            TypeError,
            r"needs independent query and key, got Aligned\(rho=0.5\)$",
        ),
        (lambda: score_statistics([1.0]), ValueError, "at least 2 scores, got 1$"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
