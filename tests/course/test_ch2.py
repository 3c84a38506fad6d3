"""What the pages of chapter 2 compute, against closed forms."""

import re

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import erfc
from stored_outputs import from_the_page, numbers_of, text_of

CHAPTER, EXACT = text_of("02-variance-proof"), text_of("2a-exact-law")


def fading_variance(rho: float, d: int) -> float:
    """Return Var(q·k)/d, entry by entry."""
    return float((rho ** (2 * abs(np.subtract.outer(range(d), range(d))))).sum() / d)


def test_three_draws_of_the_same_covariances() -> None:
    for name, variance in (("Independent", 64), ("Shared size", 3 * 64), ("Shared sign", 64**2)):
        said = float(re.search(rf"{name}: variance (\d+)", CHAPTER)[1])
        assert said == pytest.approx(variance, rel=0.06)


def test_each_broken_assumption_has_its_closed_form() -> None:
    for name, (first, last) in {
        "the same correlation 0.4 inside both": (1 + 3 * 0.16, 1 + 1023 * 0.16),
        "standard deviation 1.7": (1.7**4, 1.7**4),
        "mean 1.2": (1 + 2 * 1.2**2, 1 + 2 * 1.2**2),
        "fading correlation 0.6, 0.36, … inside both": (
            fading_variance(0.6, 4),
            fading_variance(0.6, 1024),
        ),
        "alignment 0.5": (1.25, 1.25),
        "correlation 0.4 inside q only": (1, 1),
    }.items():
        assert f"{name}: from {first:.2f} to {last:.2f}." in CHAPTER


def test_fading_correlations_are_what_is_drawn() -> None:
    law = from_the_page("02-variance-proof", "Fading")()
    queries = law.sample_query(np.random.default_rng(4), 40_000, 4)
    wanted = 0.6 ** abs(np.subtract.outer(range(4), range(4)))
    assert np.cov(queries.T) == pytest.approx(wanted, abs=0.04)
    assert law.moments(9).variance == pytest.approx(9 * fading_variance(0.6, 9))


def test_aligned_logits_have_mean_rho_times_root_d() -> None:
    first, last = map(
        float, re.search(r"aligned: mean ([\d.]+) at 16, ([\d.]+) at 1024", CHAPTER).groups()
    )
    assert (first, last) == pytest.approx((0.5 * 4, 0.5 * 32), abs=0.5)


def test_initial_logits() -> None:
    found = numbers_of("02-variance-proof")
    assert found["init_gpt2"] == pytest.approx(768 * 0.02**2)
    assert 0 < found["init_off"] < 1.5
    for name, std in (
        ("one matrix each", 1),
        ("fused q, k, v", 0.5),
        ("nn.Linear default", 1 / 3),
    ):
        assert f"{name}: predicted {std:.2f}, measured" in CHAPTER


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
