"""Source A's claims, computed again. One test a row of the ledger."""

import math

import numpy as np
import pytest

import attn_helpers as ah


def example(d: int) -> int:
    """Return the dot product of the post's example, continued to any d."""
    return int(np.arange(1, d + 1) @ np.arange(3, d + 3))


def test_a1() -> None:
    """Growth with a fixed recipe: the mean as d, the spread as √d; none at fixed length."""
    small, large = ah.Uniform(0, 1).moments(16), ah.Uniform(0, 1).moments(256)
    assert large.mean == pytest.approx(16 * small.mean)
    assert large.variance == pytest.approx(16 * small.variance)
    rng = np.random.default_rng(0)
    spread = []
    for d in (16, 256):
        q, k = rng.standard_normal((2, 20_000, d))
        cosine = (q * k).sum(-1) / (np.linalg.norm(q, axis=-1) * np.linalg.norm(k, axis=-1))
        spread.append(cosine.std())
    assert spread[1] / spread[0] == pytest.approx(1 / 4, rel=0.05)


def test_a2() -> None:
    """At d = 2 the product is 11."""
    assert example(2) == 11


def test_a3() -> None:
    """At d = 4 the product is 50."""
    assert example(4) == 50


def test_a4() -> None:
    """At d = 6 the product is 133."""
    assert example(6) == 133


def test_a5() -> None:
    """The example grows as d³; adding components of the first two's size would triple it."""
    assert all(example(d) == d * (d + 1) * (2 * d + 7) // 6 for d in range(1, 200))
    assert example(2000) / example(1000) == pytest.approx(8, rel=0.01)
    assert example(2) / 2 * 6 == 33
    assert example(6) / example(2) > 12


def test_a6() -> None:
    """Size alone does nothing, and a margin counts only against the number of rivals."""
    assert ah.softmax([1001.0, 1000.0])[0] == pytest.approx(0.731, abs=5e-4)
    assert ah.softmax([-3.0, -7.0])[0] == pytest.approx(0.982, abs=5e-4)
    np.testing.assert_allclose(ah.softmax([1014.0, 1010.0]), ah.softmax([14.0, 10.0]), rtol=1e-12)
    crowd = [ah.softmax([10.0] + (n - 1) * [0.0])[0] for n in (2, 100, 10**6)]
    assert crowd[0] > 0.9999
    assert crowd[1] > 0.99
    assert crowd[2] < 0.03


def test_a7() -> None:
    """[14, 10] to three digits."""
    assert np.round(ah.softmax([14.0, 10.0]), 3).tolist() == [0.982, 0.018]
    assert np.round([1 / (1 + math.exp(-4)), 1 / (1 + math.exp(4))], 3).tolist() == [0.982, 0.018]


def test_a8() -> None:
    """[7, 5] to three digits, and the printed ones to two."""
    right, printed = ah.softmax([7.0, 5.0]), np.array([0.880, 0.120])
    assert np.round(right, 3).tolist() == [0.881, 0.119]
    assert np.round(right, 2).tolist() == np.round(printed, 2).tolist()
    assert ah.entropy(right) > 3 * ah.entropy(ah.softmax([14.0, 10.0]))


def test_a9() -> None:
    """Two keys: one scaled row in nine above 0.9 (exactly known); aligned: margin ρ√d."""
    rng = np.random.default_rng(2)
    spreads = ah.query_lengths(64, 20_000, rng) / 8
    share = np.mean(ah.simulate_saturation(2, spreads, rng).largest > 0.9)
    # At σ = 1 the margin is |N(0, 2)|: P(|Z| > ln 9/√2) = erfc(ln 9/2).
    assert share == pytest.approx(math.erfc(math.log(9) / 2), abs=0.012)
    assert np.mean(ah.simulate_saturation(16, spreads[:5000], rng).largest > 0.9) < 0.003
    for d in (64, 1024):
        assert ah.Aligned(0.5).moments(d).mean / d**0.5 == pytest.approx(0.5 * d**0.5)
