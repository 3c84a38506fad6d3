"""Source B's claims, computed again. One test a row of the ledger."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import softmax
from settling import settle

import attn_helpers as ah
from why_sqrt_d.ch4.stored_runs import best_rate, curves
from why_sqrt_d.experiments import stored

# The second listing in outline, its indentation lost and restored: what its names are bound to.
LISTING = """\
def calculate(array_length):
    arrays = draw(array_length)
    return [arrays[i] @ arrays[j] for i in range(num_arrays) for j in range(i + 1, num_arrays)]
X = [calculate(i) for i in range(1, 513)]
dim = np.arange(len(X))
"""


def test_b2() -> None:
    """No indentation: it does not parse; with it a name is missing; with that dim starts at 0."""
    with pytest.raises(IndentationError):
        compile("\n".join(map(str.strip, LISTING.splitlines())), "listing", "exec")
    rng = np.random.default_rng(13)
    names = {"np": np, "draw": lambda length: rng.random((3, length))}
    with pytest.raises(NameError, match="num_arrays"):
        exec(compile(LISTING, "listing", "exec"), names)
    names["num_arrays"] = 3
    exec(compile(LISTING, "listing", "exec"), names)
    dimensions, plotted = range(1, 513), names["dim"]
    assert len(dimensions) == len(plotted) == len(names["X"])
    verdict = "holds" if list(dimensions) == list(plotted) else "false"
    settle("B2", verdict, dimensions[0], dimensions[-1], plotted[0], plotted[-1])


def test_b3() -> None:
    """7/144 a dimension, by exact moments of one product; and no bend in simulation."""
    mean, square = Fraction(1, 2), Fraction(1, 3)  # of one component: E x, E x²
    one = square**2 - mean**4
    assert one == Fraction(7, 144)
    dims, bends = np.array([1, 64, 128, 256, 384, 512]), []
    for rng in np.random.default_rng(2).spawn(20):
        pairs = (rng.random((2, 3000, d)) for d in dims)
        variances = [(q * k).sum(axis=-1).var() for q, k in pairs]
        np.testing.assert_allclose(variances, float(one) * dims, rtol=0.15)
        bends.append(np.polyfit(dims, variances, 2)[0])
    straight = abs(np.mean(bends)) < 2 * np.std(bends, ddof=1) / np.sqrt(len(bends))
    settle("B3", "holds" if straight else "false", len(bends))


def test_b5() -> None:
    """A degree-two fit follows a bent curve as well as a line, so it cannot tell them apart."""
    dims = np.arange(1.0, 513.0)
    for truth in (dims, dims + 0.001 * dims**2):
        residual = truth - np.polyval(np.polyfit(dims, truth, 2), dims)
        assert np.abs(residual).max() < 1e-6 * truth.max()
    settle("B5", "misleading")


def test_b6() -> None:
    """d times the variance at d = 1, for independent components; not for correlated ones."""
    rng = np.random.default_rng(6)
    shared = rng.standard_normal((2, 100_000, 1))  # one factor in all components of a vector
    own = rng.standard_normal((2, 100_000, 16))
    independent, correlated = (
        (q * k).sum(axis=-1).var() / (16 * (q[:, 0] * k[:, 0]).var())
        for q, k in (own, 0.6 * own + 0.8 * shared)
    )
    assert independent == pytest.approx(1, abs=0.05)
    settle("B6", "holds if" if correlated > 2 else "holds")


def test_b7() -> None:
    """Var(q·k/√d) is one product's variance, 7/144 for the source's; not if correlated."""
    rng = np.random.default_rng(7)
    for d in (1, 64, 1024):
        scaled = (rng.random((20_000, d)) * rng.random((20_000, d))).sum(axis=-1) / d**0.5
        assert scaled.var() == pytest.approx(7 / 144, rel=0.06)
    alike = (rng.random(20_000) * rng.random(20_000) * 64 / 64**0.5).var()
    settle("B7", "holds if" if alike > 2 * 7 / 144 else "holds")


def test_b8() -> None:
    """A row sees 1/36 of 7/144; the shift changes no weight."""
    assert Fraction(7, 144) == Fraction(1, 36) + Fraction(1, 48)
    rng = np.random.default_rng(3)
    rows = np.array([rng.random((200, 64)) @ rng.random(64) for _ in range(2000)])
    within = rows.var(axis=-1, ddof=1) / 64
    assert abs(within.mean() - 1 / 36) < 5 * within.std() / np.sqrt(within.size)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(ah.softmax(rows), softmax(centred, axis=-1), atol=1e-14)
    settle("B8", "holds if")


def test_b10() -> None:
    """The typical query's gradient vanishes at d = 1024, n = 4; W_q's does not, and W_q moves."""
    rows = [r for r in stored("gradient_flow") if (r["d"], r["n"]) == (1024, 4)]
    assert len(rows) == 5
    for row in rows:
        assert row["query_median"][1] < 1e-4 * row["query_median"][0]
        assert row["w_query"][1] > row["w_query"][0]
    learned = [r for r in stored("scaling_ablation") if r["power"] == 0 and r["d"] == 256]
    moved = any(np.mean(r["losses"][-5:]) < 0.1 for r in learned)
    settle("B10", "false" if moved else "misleading")


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
    settle("B11", "holds")


def test_b12() -> None:
    """√d times one product has d times its variance; the sum over √d has one product's."""
    d, rng = 64, np.random.default_rng(12)
    products = rng.standard_normal((100_000, d)) * rng.standard_normal((100_000, d))
    assert (np.sqrt(d) * products[:, 0]).var() == pytest.approx(d, rel=0.05)
    assert (products.sum(axis=-1) / np.sqrt(d)).var() == pytest.approx(1, rel=0.05)
    settle("B12", "misleading")


def test_b14() -> None:
    """With one head the divisor is the root of the embedding's width, with three it is not."""
    rng = np.random.default_rng(14)
    x = rng.standard_normal((5, 12))
    layer = ah.attention.Projections(*(rng.standard_normal((4, 12, 12)) / 12**0.5))
    same = {}
    for heads in (1, 3):
        weights = ah.multi_head_attention(x, x, layer, heads, return_weights=True)[1]
        query, key = (ah.split_heads(x @ w, heads) for w in (layer.query, layer.key))
        by_embedding = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(12), axis=-1)
        same[heads] = np.allclose(weights, by_embedding, atol=1e-6)
    verdict = "holds" if same[3] else "holds if" if same[1] else "false"
    settle("B14", verdict)


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
        assert learned_at(unscaled) > learned_at(scaled)
    settle("B15", "holds if")


def learned_at(losses: np.ndarray) -> float:
    """Return the median of the windows in which runs (seeds, windows) come below a half."""
    return float(np.median((losses < 0.5).argmax(axis=1)))
