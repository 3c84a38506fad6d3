"""Source A's claims, computed again. One test a row of the ledger."""

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
