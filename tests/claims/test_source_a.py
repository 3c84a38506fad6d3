"""Source A's claims, computed again. One test a row of the ledger."""

import math

import numpy as np
import pytest

import attn_helpers as ah
from why_sqrt_d.ch4.flow import flow_gradients, measure_flow, random_layer
from why_sqrt_d.ch4.results import best_rate
from why_sqrt_d.ch4.stack import random_stack, stack_gradients
from why_sqrt_d.encoder.optimiser import clip_by_norm
from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.summary import select


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
    """Two keys: one scaled row in eight above 0.9 (exactly known); aligned: margin ρ√d."""
    rng = np.random.default_rng(2)
    spreads = ah.saturation.query_lengths(64, 20_000, rng) / 8
    share = np.mean(ah.saturation.simulate_saturation(2, spreads, rng).largest > 0.9)
    # At σ = 1 the margin is |N(0, 2)|: P(|Z| > ln 9/√2) = erfc(ln 9/2).
    assert share == pytest.approx(math.erfc(math.log(9) / 2), abs=0.012)
    assert (
        np.mean(ah.saturation.simulate_saturation(16, spreads[:5000], rng).largest > 0.9) < 0.003
    )
    for d in (64, 1024):
        assert ah.laws.Aligned(0.5).moments(d).mean / d**0.5 == pytest.approx(0.5 * d**0.5)


def test_a10() -> None:
    """In a frozen layer few queries carry nearly all of the squared gradient."""
    shares = []
    for seed in range(5):
        layer = random_layer(1024, 4, 1024, np.random.default_rng([10, seed]))
        unscaled, scaled = (measure_flow(layer, beta) for beta in (1.0, 1 / 32))
        shares.append((unscaled["query_top_share"], scaled["query_top_share"]))
    assert min(one for one, _ in shares) > 0.9
    assert max(two for _, two in shares) < 0.35


def test_a11() -> None:
    """W_q's and W_k's gradients are larger unscaled in every stored run; V's has a ceiling.

    With 1/√d in W_q itself its gradient is √d times longer, and the unscaled one is shorter in
    half of the sizes.
    """
    rows = stored("gradient_flow")
    assert len(rows) == 180
    for row in rows:
        for name in ("w_query", "w_key"):
            assert row[name][1] > row[name][0], (row["d"], row["n"], row["seed"])
    sizes = {(row["d"], row["n"]): [] for row in rows}
    for row in rows:
        ratio = row["w_query"][1] / (row["d"] ** 0.5 * row["w_query"][0])
        sizes[row["d"], row["n"]].append(math.log(ratio))
    assert sum(np.mean(logs) < 0 for logs in sizes.values()) == 18
    assert len(sizes) == 36
    layer = random_layer(32, 16, 16, np.random.default_rng(11))
    ceiling = 4 * np.linalg.norm(layer.grad)
    for scale in (1.0, 1e3, 1e6):
        found = flow_gradients(layer.query, layer.key, layer.value, layer.grad, scale)
        assert np.linalg.norm(found.value) <= ceiling


def test_a12() -> None:
    """Twelve layers, d = 64, 64 tokens, residual and normalisation: a growth factor a layer."""
    lengths = {1.0: [], 1 / 8: []}
    for seed in range(6):
        start = random_stack(12, 64, 64, np.random.default_rng([12, seed]))
        for beta, found in lengths.items():
            found.append(stack_gradients(*start, beta, True, True).inputs[::-1])
    unscaled, scaled = (np.median(found, axis=0) for found in lengths.values())
    factors = unscaled[1:] / unscaled[:-1]
    assert factors.min() > 1.2
    assert factors[-1] > 2 > factors[0]
    assert (factors > scaled[1:] / scaled[:-1]).all()
    assert min(found[-1] for found in lengths[1.0]) > 300
    assert max(found[-1] for found in lengths[1 / 8]) < 5


def test_without_normalisation_the_scale_does_not_hold_the_gradient_of_a_stack() -> None:
    for spread, least in ((1, 20), (2, 1e4)):
        for seed in range(6):
            start = random_stack(12, 64, 64, np.random.default_rng([5, seed]))
            first_layer = stack_gradients(*start, spread / 8, True, False).inputs[0]
            assert first_layer > least


def test_a13() -> None:
    """Scaled gradients hardly depend on d, unscaled ones do; scaled ones grow with the weights."""
    found = {}
    for d in (64, 1024):
        layer = random_layer(d, 64, 512, np.random.default_rng(13))
        for rule, beta in (("scaled", d**-0.5), ("unscaled", 1.0)):
            found[d, rule] = measure_flow(layer, beta)["query_rms"] / d**0.5
        if d == 64:
            grown = layer._replace(query=8 * layer.query, key=8 * layer.key)
            later = measure_flow(grown, d**-0.5)["query_rms"] / d**0.5
            assert later > 3 * found[d, "scaled"]
    assert found[64, "scaled"] == pytest.approx(found[1024, "scaled"], rel=0.3)
    assert found[64, "unscaled"] > 4 * found[64, "scaled"]
    assert found[1024, "unscaled"] > 2 * found[64, "unscaled"]


def test_a14() -> None:
    """Clipping bounds the step and keeps its direction; scaling bounds nothing."""
    layer = random_layer(16, 8, 64, np.random.default_rng(14))
    lengths = []
    for growth in (1.0, 3.0, 9.0):
        grown = (growth * x for x in (layer.query, layer.key, layer.value))
        found = flow_gradients(*grown, layer.grad, 0.25).query
        clipped = clip_by_norm(found, 1.0)
        assert np.linalg.norm(clipped) == pytest.approx(1.0)
        assert (clipped * found).sum() == pytest.approx(np.linalg.norm(found))
        lengths.append(np.linalg.norm(found))
    assert lengths[2] > 5 * lengths[0]


def test_a15() -> None:
    """At Adam's rate 0.01 every scaled seed learns; at a huge rate descent diverges either way."""
    rows = [r for r in stored("scaling_ablation") if r["d"] == 256]
    scaled = [r for r in rows if (r["optimiser"], r["rate"], r["power"]) == ("adam", 0.01, 0.5)]
    assert len(scaled) == 10
    assert max(np.mean(r["losses"][-5:]) for r in scaled) < 0.1
    wild = [r for r in rows if (r["optimiser"], r["rate"], r["power"]) == ("sgd", 10.0, 0.5)]
    assert min(r["losses"][-1] for r in wild) > 1


def test_a16() -> None:
    """The definition in exact terms against the package's softmax."""
    z = np.random.default_rng(16).normal(0, 5, (50, 7))
    powers = np.exp(z)
    np.testing.assert_allclose(
        ah.softmax(z), powers / powers.sum(axis=-1, keepdims=True), rtol=1e-13
    )


def test_a17() -> None:
    """The root of four is two, and half of the printed scores are the printed ones."""
    assert ah.InverseSqrt()(4, 2) == 0.5
    np.testing.assert_array_equal(0.5 * np.array([14, 10]), [7, 5])


def test_a18() -> None:
    """The sharper start costs error over the run; every head that has learned is sharper."""
    rows, found = stored("scaling_ablation"), {}
    for power in (0.0, 0.5):
        wanted = {"d": 256, "optimiser": "adam", "power": power}
        found[power] = select(rows, rate=best_rate(rows, **wanted), **wanted)
        assert len(found[power]) == 10
    error = {power: [np.mean(row["losses"]) for row in rows] for power, rows in found.items()}
    assert np.median(error[0.0]) > 1.1 * np.median(error[0.5])
    spread = [(row["spread_before"], row["spread_after"]) for row in found[0.5]]
    assert all(after > 2 * before for before, after in spread)


def test_a19() -> None:
    """A gradient longer than the limit is cut to it, a shorter one stays."""
    rng = np.random.default_rng(19)
    for length in (0.1, 1.0, 100.0):
        gradient = rng.standard_normal(30)
        gradient *= length / np.linalg.norm(gradient)
        clipped = clip_by_norm(gradient, 1.0)
        assert np.linalg.norm(clipped) == pytest.approx(min(length, 1.0))


def test_a20() -> None:
    """The layer divides by the root of the width of a head's keys, whatever the model's width."""
    x, layer = _layer(np.random.default_rng(20), d_model=12)
    heads, d = 3, 4
    weights = ah.multi_head_attention(x, x, layer, heads, return_weights=True)[1]
    query, key = (ah.split_heads(x @ w, heads) for w in (layer.query, layer.key))
    assert key.shape[-1] == d
    logits = query @ key.swapaxes(-1, -2) / np.sqrt(d)
    np.testing.assert_allclose(weights, ah.softmax(logits), atol=1e-12)


def _layer(rng: np.random.Generator, d_model: int) -> tuple[np.ndarray, ah.attention.Projections]:
    x = rng.standard_normal((5, d_model))
    return x, ah.attention.Projections(
        *(rng.standard_normal((4, d_model, d_model)) / d_model**0.5)
    )
