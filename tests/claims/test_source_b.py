"""Source B's claims, decided again. One test a row of the ledger; B2 and B11 are read."""

from fractions import Fraction

import jax
import numpy as np
import pytest
from learning_curves import as_power, losses
from scipy.special import softmax

from why_sqrt_d.rows import select, stored


def test_b3(settle):
    """7/144 a dimension, by exact moments of one product; and no bend in simulation."""
    mean, square = Fraction(1, 2), Fraction(1, 3)  # of one component: E x, E x²
    one = square**2 - mean**4
    assert one == Fraction(7, 144)
    dims, bends = np.array([1, 64, 128, 256, 384, 512]), []
    for rng in np.random.default_rng(2).spawn(20):
        variances = [rng.random((2, 3000, d)).prod(axis=0).sum(axis=-1).var() for d in dims]
        np.testing.assert_allclose(variances, float(one) * dims, rtol=0.15)
        bends.append(np.polyfit(dims, variances, 2)[0])
    straight = abs(np.mean(bends)) < 2 * np.std(bends, ddof=1) / np.sqrt(len(bends))
    said = f"${one.numerator}d/{one.denominator}$"
    settle("holds" if straight else "false", said, len(bends))


def test_b5(settle):
    """Whether a parabola, fitted to a line and to a curve that bends, tells them apart."""
    dims = np.arange(1.0, 513.0)
    misses = []
    for truth in (dims, dims + 0.001 * dims**2):
        fitted = np.polyval(np.polyfit(dims, truth, 2), dims)
        misses.append(np.abs(truth - fitted).max() / truth.max())
    settle("misleading" if max(misses) < 1e-6 else "holds")


def over_d(vectors: np.ndarray) -> float:
    """Return Var(q·k) over d times that of the first components; vectors (2, draws, d)."""
    products = vectors.prod(axis=0)
    return float(products.sum(axis=-1).var() / products[:, 0].var() / products.shape[-1])


def test_b6(settle):
    """Independent components, and normal ones that share a factor within each vector."""
    rng = np.random.default_rng(6)
    own, shared = rng.standard_normal((2, 100_000, 16)), rng.standard_normal((2, 100_000, 1))
    independent, correlated = over_d(own), over_d(0.6 * own + 0.8 * shared)
    settle((abs(independent - 1) < 0.05, correlated < 2), "all")


def test_b7(settle):
    """Var(q·k/√d) of uniform components, drawn each or one for all."""
    rng = np.random.default_rng(7)
    scaled = [rng.random((2, 20_000, d)).prod(axis=0).sum(-1).var() / d for d in (1, 64, 512)]
    one = Fraction(1, 3) ** 2 - Fraction(1, 2) ** 4
    kept = scaled == pytest.approx(3 * [float(one)], rel=0.06)
    alike = (64 * rng.random((2, 20_000)).prod(axis=0)).var() / 64
    settle((kept, alike < 2 * one), r"$\text{Var}(q\cdot k)/d$", f"${one}$")


def test_b8(settle):
    """How much of 7/144 lies within a row, and what the rest does to the weights."""
    rng = np.random.default_rng(3)
    rows = np.array([rng.random((200, 64)) @ rng.random(64) for _ in range(2000)])
    within = rows.var(axis=-1, ddof=1) / 64
    seen, every = Fraction(1, 3) / 12, Fraction(1, 3) ** 2 - Fraction(1, 2) ** 4
    assert abs(within.mean() - float(seen)) < 5 * within.std() / np.sqrt(within.size)
    means = rows.mean(axis=-1, keepdims=True)
    shift_counts = np.abs(softmax(rows, axis=-1) - softmax(rows - means, axis=-1)).max() > 1e-9
    spread_counts = softmax(rows, axis=-1).max(axis=-1).mean() > 3 / 200
    settle((spread_counts, shift_counts), f"${every}$ ${seen}$ all")


def test_b10(settle):
    """Whether the shared matrices receive less, or stand still, where the median query does."""
    rows = select(stored("gradient_flow"), d=1024, n=4)
    assert all(row["query_median"][1] < 1e-4 * row["query_median"][0] for row in rows)
    receive = all(row["w_query"][1] > row["w_query"][0] for row in rows)
    learned = select(stored("scaling_ablation"), power=0, d=256)
    move = any(np.mean(row["losses"][-5:]) < 0.1 for row in learned)
    larger = "larger" if receive else "smaller"
    side = f"Without the scale these matrices receive {larger} gradients than with"
    said = "all", larger, r"$\beta = 1/\sqrt d$"
    settle("false" if receive and move else "misleading", *said, sides=[side])


def test_b12(settle):
    """What √d does to the variance: times one product, and as the divisor of the sum."""
    d, rng = 64, np.random.default_rng(12)
    products = rng.standard_normal((2, 50_000, d)).prod(axis=0)
    multiplied = (np.sqrt(d) * products[:, 0]).var()
    assert multiplied == pytest.approx(d, rel=0.05)
    divided = (products.sum(axis=-1) / np.sqrt(d)).var()
    cures = multiplied < 2, divided < 2
    divisor = as_power(products.sum(axis=-1).std() / divided**0.5, d, "d_k")
    settle("misleading" if cures == (False, True) else "holds", divisor)


def test_b14(settle):
    """Whether JAX's attention divides by the root of the model's width, 12, for 1 and 3 heads."""
    same = []
    for heads in (1, 3):
        three = np.random.default_rng(14).standard_normal((3, 5, heads, 12 // heads))
        unasked = jax.nn.dot_product_attention(*three)
        by_model = jax.nn.dot_product_attention(*three, scale=12**-0.5)
        same.append(np.allclose(unasked, by_model, atol=1e-6))
    settle((same[0], same[1]), r"$d_{\text{model}}/h$")


def test_b15(settle, heads):
    """Undivided heads at their best rate: do they cost more, start later, and fail?"""
    worse, fails = [], []
    for optimiser in ("adam", "sgd"):
        undivided, scaled = (losses(heads[256, optimiser, power]) for power in (0.0, 0.5))
        worse.append(np.median(undivided.mean(axis=1)) > np.median(scaled.mean(axis=1)))
        starts = [np.median((x < 0.5).argmax(axis=1)) for x in (undivided, scaled)]
        worse.append(starts[0] > starts[1])
        fails.append(undivided[:, -5:].mean(axis=1).max() > 0.5)
    said = "later larger" if all(worse) else ""
    settle((all(worse), any(fails)), said, sides=["the undivided one starts to learn later"])
