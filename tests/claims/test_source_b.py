"""Source B's claims, computed again. One test a row of the ledger."""

from fractions import Fraction

import numpy as np
import pytest

import attn_helpers as ah
from attn_helpers.experiments import stored

UNIFORM = ah.Uniform(0, 1)


def test_b1() -> None:
    """The variance rises from d = 3 to 100 to 1000, measured and exact."""
    rng = np.random.default_rng(1)
    for d in (3, 100, 1000):
        measured = ah.score_statistics(ah.simulate_scores(UNIFORM, d, 20_000, rng))
        assert abs(measured.variance - 7 * d / 144) < 5 * measured.variance_se
    assert UNIFORM.moments(3).variance < UNIFORM.moments(100).variance < 7 * 1000 / 144 + 1


def test_b2() -> None:
    """A loop over the range of a name that nothing binds raises NameError."""
    listing = "def variance(length):\n    return [i for i in range(num_arrays)]\nvariance(1)"
    with pytest.raises(NameError, match="num_arrays"):
        exec(compile(listing, "listing", "exec"), {})


def test_b3() -> None:
    """The variance is a line through the origin: exactly, and with no bend in simulation."""
    exact = [UNIFORM.moments(d).variance for d in range(1, 513)]
    assert np.allclose(np.diff(exact), 7 / 144)
    dims = np.array([1, 64, 128, 256, 384, 512])
    rngs = np.random.default_rng(2).spawn(12)
    bends = [
        np.polyfit(dims, [ah.simulate_scores(UNIFORM, d, 3000, rng).var() for d in dims], 2)[0]
        for rng in rngs
    ]
    assert abs(np.mean(bends)) < 4 * np.std(bends, ddof=1) / np.sqrt(len(bends))


def test_b4() -> None:
    """`arange(len(x))` starts at 0 where the dimensions start at 1."""
    dimensions = np.arange(1, 513)
    plotted = np.arange(len(dimensions))
    assert plotted[0] == 0
    assert plotted[-1] == 511
    assert np.all(dimensions - plotted == 1)


def test_b5() -> None:
    """A degree-two fit follows a bent curve as well as a line, so it cannot tell them apart."""
    dims = np.arange(1.0, 513.0)
    for truth in (dims, dims + 0.001 * dims**2):
        residual = truth - np.polyval(np.polyfit(dims, truth, 2), dims)
        assert np.abs(residual).max() < 1e-6 * truth.max()


def test_b6() -> None:
    """d times the variance at d = 1, for independent components; not for correlated ones."""
    one = UNIFORM.moments(1).variance
    assert UNIFORM.moments(300).variance == pytest.approx(300 * one)
    assert (
        ah.Correlated(0.4).moments(64).variance > 10 * 64 * ah.Correlated(0.4).moments(1).variance
    )


def test_b7() -> None:
    """Var(q·k/√d) is one product's variance: 7/144, not 1, for the source's components."""
    for d in (1, 64, 4096):
        assert UNIFORM.moments(d).variance / d == pytest.approx(7 / 144)


def test_b8() -> None:
    """A row sees 1/36 of 7/144; the shift changes no weight."""
    assert Fraction(7, 144) == Fraction(1, 36) + Fraction(1, 48)
    assert UNIFORM.row_variance(64) / 64 == pytest.approx(1 / 36)
    rng = np.random.default_rng(3)
    rows = ah.simulate_rows(UNIFORM, 64, n=200, rows=2000, rng=rng)
    within = rows.var(axis=-1, ddof=1) / 64
    assert abs(within.mean() - 1 / 36) < 5 * within.std() / np.sqrt(within.size)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(ah.softmax(centred), ah.softmax(rows), atol=1e-14)


def test_b9() -> None:
    """The heaviest key's gradient is minus the sum of the others', and vanishes with them."""
    p = ah.softmax([20.0, 0.0, 1.0])
    grad = ah.softmax_vjp(p, [3.0, 1.0, 2.0])
    assert p[0] > 0.999999
    assert grad[0] == pytest.approx(-grad[1:].sum())
    assert abs(grad[0]) < 1e-7
    same_comparison = ah.softmax_vjp([0.9, 0.08, 0.02], [1.0, 0.0, 0.0])
    assert same_comparison[1] / same_comparison[2] == pytest.approx(0.08 / 0.02)


def test_b10() -> None:
    """The typical query's gradient vanishes at d = 1024, n = 4; the one to W_q does not."""
    rows = [r for r in stored("gradient_flow") if (r["d"], r["n"]) == (1024, 4)]
    assert len(rows) == 5
    for row in rows:
        assert row["query_median"][1] < 1e-4 * row["query_median"][0]
        assert row["w_query"][1] > row["w_query"][0]
