"""Source C's claims, computed again. One test a row of the ledger."""

import numpy as np
import pytest
from scipy import integrate, stats

import attn_helpers as ah


def test_c1() -> None:
    """Var(XY) = 1 for independent standard normal X and Y, by integrating the exact density."""
    second = integrate.quad(lambda x: x**2 * ah.gaussian_score_pdf(x, 1), 0, np.inf)[0]
    assert 2 * second == pytest.approx(1, rel=1e-6)
    assert ah.Gaussian().moments(1).variance == 1


def test_c2() -> None:
    """Var(q·k) = d, closed form and simulation."""
    rng = np.random.default_rng(1)
    for d in (1, 16, 512):
        measured = ah.score_statistics(ah.simulate_scores(ah.Gaussian(), d, 20_000, rng))
        assert ah.Gaussian().moments(d).variance == d
        assert abs(measured.variance - d) < 5 * measured.variance_se


def test_c3() -> None:
    """The standard deviation at d = 64 is 8."""
    assert ah.Gaussian().moments(64).variance ** 0.5 == 8


def test_c4() -> None:
    """Scaled variance one for every d under the source's assumptions, and not for GPT-2."""
    for d in (1, 64, 4096):
        assert ah.Gaussian().moments(d).variance * ah.InverseSqrt()(d, 10) ** 2 == pytest.approx(1)
    std = ah.weight_std("gpt2", 768, 768)
    assert ah.projected_score_variance(768, 64, 1.0, std, std) / 64 == pytest.approx(0.3072**2)


def test_c5() -> None:
    """Kurtosis 3 + 6/d and heavier tails than N(0, d); given q the score is exactly normal."""
    assert ah.Gaussian().moments(64).kurtosis == 3 + 6 / 64
    tail = 2 * integrate.quad(lambda x: ah.gaussian_score_pdf(x, 8), 4 * 8**0.5, np.inf)[0]
    assert tail > 10 * 2 * stats.norm.sf(4)
    rng = np.random.default_rng(2)
    q = rng.standard_normal(8)
    row = rng.standard_normal((20_000, 8)) @ q
    assert stats.kstest(row / np.linalg.norm(q), "norm").pvalue > 1e-3
