"""Source B's claims, computed again. One test a row of the ledger."""

from fractions import Fraction

import numpy as np
import pytest

import attn_helpers as ah
from why_sqrt_d.ch4.results import best_rate, curves
from why_sqrt_d.experiments import stored

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
        ah.laws.Correlated(0.4).moments(64).variance
        > 10 * 64 * ah.laws.Correlated(0.4).moments(1).variance
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


def test_b11() -> None:
    """The definition, scaled where the paper scales; after the softmax it is another function."""
    rng = np.random.default_rng(11)
    q, k, v = rng.standard_normal((3, 6, 4))
    for scale in (1.0, 0.5):
        powers = np.exp(scale * (q @ k.T))
        expected = powers / powers.sum(axis=-1, keepdims=True) @ v
        np.testing.assert_allclose(
            ah.scaled_dot_product_attention(q, k, v, scale=scale), expected, rtol=1e-12
        )
    late = ah.scaled_dot_product_attention(q, k, v, scale=1.0) / 2
    assert not np.allclose(late, ah.scaled_dot_product_attention(q, k, v, scale=0.5), atol=1e-2)


def test_b12() -> None:
    """√d times one product has d times its variance; the sum over √d has one product's."""
    d, one = 64, ah.Gaussian().moments(1).variance
    rng = np.random.default_rng(12)
    single = ah.simulate_scores(ah.Gaussian(), 1, 200_000, rng)
    assert (np.sqrt(d) * single).var() == pytest.approx(d * one, rel=0.05)
    assert ah.Gaussian().moments(d).variance / d == one


def test_b13() -> None:
    """A body that is not indented does not parse; indented, rows of products come out."""
    with pytest.raises(IndentationError):
        compile("def products(pairs, d):\nreturn draw(pairs, d)", "listing", "exec")
    rng = np.random.default_rng(13)
    first, second = rng.random((2, 1000, 3))
    assert np.einsum("ij,ij->i", first, second).shape == (1000,)


def test_b14() -> None:
    """With heads the divisor is the root of a head's width, not of the embedding's."""
    rng = np.random.default_rng(14)
    x = rng.standard_normal((5, 12))
    layer = ah.attention.Projections(*(rng.standard_normal((4, 12, 12)) / 12**0.5))
    for heads in (1, 3):
        weights = ah.multi_head_attention(x, x, layer, heads, return_weights=True)[1]
        query, key = (ah.split_heads(x @ w, heads) for w in (layer.query, layer.key))
        by_embedding = ah.softmax(query @ key.swapaxes(-1, -2) / np.sqrt(12))
        assert np.allclose(weights, by_embedding, atol=1e-6) == (heads == 1)


def test_b15() -> None:
    """Unscaled runs cost more error on the whole, at their own best rate, and still learn."""
    rows = stored("scaling_ablation")
    for optimiser in ("adam", "sgd"):
        wanted = {"d": 256, "optimiser": optimiser}
        unscaled, scaled = (
            curves(rows, rate=best_rate(rows, power=p, **wanted), power=p, **wanted)
            for p in (0.0, 0.5)
        )
        assert unscaled.shape == scaled.shape == (10, 20)
        assert np.median(unscaled.mean(axis=1)) > np.median(scaled.mean(axis=1))
        assert unscaled[:, -5:].mean(axis=1).max() < 0.5
