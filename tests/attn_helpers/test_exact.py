from fractions import Fraction

import pytest

from attn_helpers.exact import (
    exact_score_moments,
    independent_outcomes,
    largest_covariance,
    shared_magnitude_outcomes,
    shared_sign_outcomes,
)

F = Fraction
FAIR = {-1: F(1, 2), 1: F(1, 2)}


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("outcomes", "moments"),
    [
        (lambda d: independent_outcomes(FAIR, d), lambda d: (0, d, 3 - F(2, d))),
        (shared_sign_outcomes, lambda d: (0, d**2, 1)),
        (shared_magnitude_outcomes, lambda d: (0, 4 * d, 3 + F(1, d))),
    ],
)
def test_moments_in_closed_form(outcomes, moments, d):
    found = exact_score_moments(outcomes(d))
    assert (found.mean, found.variance, found.kurtosis) == moments(d)
    assert type(found.variance) is Fraction


def test_moments_of_a_law_with_fractions_and_an_impossible_outcome():
    outcomes = [(F(1, 2), (2, 3), (5, F(1, 3))), (F(1, 2), (1, 1), (1, 0)), (F(0), (9, 9), (9, 9))]
    moments = exact_score_moments(outcomes)  # scores 11 and 1
    assert (moments.mean, moments.variance, moments.kurtosis) == (6, 25, 1)


def test_no_variance_has_no_kurtosis():
    assert exact_score_moments([(1, (1,), (1,))]).kurtosis is None


def test_largest_covariance_looks_between_and_within_but_not_at_variances() -> None:
    for outcomes in (
        shared_sign_outcomes(3),
        shared_magnitude_outcomes(3),
        independent_outcomes(FAIR, 3),
    ):
        assert largest_covariance(outcomes) == 0
    assert largest_covariance([(F(1, 2), (x, -x), (1, 1)) for x in (-1, 1)]) == 1
    assert largest_covariance([(F(1, 2), (2 * x,), (x,)) for x in (-1, 1)]) == 2
    keys = [(F(1, 4), (0, 1), (2, 0)), (F(3, 4), (1, 1), (0, 4))]  # components of k: 2·4·3/16
    assert largest_covariance(keys) == F(3, 2)


@pytest.mark.parametrize("function", [exact_score_moments, largest_covariance])
@pytest.mark.parametrize(
    ("outcomes", "error", "message"),
    [
        ([(F(1, 2), (1,), (1,))], ValueError, "^probabilities must sum to 1, got 1/2$"),
        ([], ValueError, "^probabilities must sum to 1, got 0$"),
        ([(F(3, 2), (1,), (1,)), (F(-1, 2), (1,), (1,))], ValueError, "negative, got -1/2$"),
        ([(0.5, (1,), (1,))], TypeError, "int or a Fraction, got 0.5$"),
        ([(F(1), (1, 2), (1,))], ValueError, "^query has 2 components but key has 1$"),
    ],
)
def test_bad_laws_are_named(function, outcomes, error, message):
    with pytest.raises(error, match=message):
        function(outcomes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: independent_outcomes(FAIR, 11), "^4194304 outcomes are too many"),
        (lambda: shared_sign_outcomes(30), "^2147483648 outcomes are too many"),
        (lambda: shared_sign_outcomes(0), "^d must be an integer >= 1, got 0$"),
    ],
)
def test_impossible_enumerations_are_refused_at_once(call, message):
    with pytest.raises(ValueError, match=message):
        call()
