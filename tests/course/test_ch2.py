"""What the pages of chapter 2 compute, against closed forms."""

import re

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import erfc
from stored_outputs import numbers_of, text_of

CHAPTER, EXACT = text_of("02-variance-proof"), text_of("2a-exact-law")


def test_untrained_heads_keep_the_textbook_and_trained_ones_do_not() -> None:
    found, deeper = numbers_of("02-variance-proof"), numbers_of("8c-opened-model")
    assert found["before_off"] < 12
    assert found["components"] == pytest.approx(deeper["textbook_ratio"])
    assert 1 / found["vectors_over"] == pytest.approx(deeper["vectors_low"])
    assert found["init_gpt2"] == pytest.approx(768 * 0.02**2)
    assert 0 < found["init_off"] < 1.5


def test_three_draws_of_the_same_covariances() -> None:
    for name, variance in (("independent", 64), ("shared size", 3 * 64), ("shared sign", 64**2)):
        said = float(re.search(rf"{name}: variance (\d+)", CHAPTER)[1])
        assert said == pytest.approx(variance, rel=0.06)


def test_the_tails_are_those_of_a_mixture_of_normal_rows() -> None:
    found = numbers_of("2a-exact-law")
    for d in (2, 8, 64):

        def beyond(squared: float, d: int = d) -> float:
            """Return P(|q·k| > 4√d) when ‖q‖² is `squared`, times its density."""
            return erfc(4 * (d / squared / 2) ** 0.5) * stats.chi2.pdf(squared, d)

        share = integrate.quad(beyond, 0, 20 * d, epsabs=1e-14, limit=200)[0]
        assert found[f"tail_{d}"] == pytest.approx(share / erfc(4 / 2**0.5), rel=1e-4)
    assert found["tail_2"] == pytest.approx(np.exp(-4 * 2**0.5) / erfc(4 / 2**0.5))  # Laplace
    assert found["kurtosis_64_measured"] == pytest.approx(3 + 6 / 64, abs=0.06)


def test_single_queries_are_shorter_and_longer_than_most() -> None:
    shown = re.findall(r"rows have ([\d.]+) to ([\d.]+) in the middle", EXACT)
    for d, heights in zip((4, 64), shown, strict=True):
        widths = np.sqrt(stats.chi2.ppf([0.05, 0.95], d) / d)
        exact = stats.norm.pdf(0) / widths
        assert [float(height) for height in heights] == pytest.approx(exact, rel=0.02)


def test_a_row_sees_less_of_tokens_that_are_alike() -> None:
    lines = re.findall(r"^(0|0\.\d) +([\d.]+) +([\d.]+)$", EXACT, re.M)
    assert [line[0] for line in lines] == ["0", "0.5", "0.9"]
    for cosine, spread, stated in lines:
        assert float(stated) == pytest.approx((1 - float(cosine)) ** 0.5, abs=0.006)
        assert float(spread) == pytest.approx(float(stated), abs=0.02)
