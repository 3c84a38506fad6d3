"""The rules of real models: closed forms, and JAX for values and gradients."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attn_helpers as ah

RNG = np.random.default_rng(1)


def draw(d, n_q=3, n=5, lead=(2,)):
    return RNG.normal(size=(*lead, n_q, d)), RNG.normal(size=(*lead, n, d))


def rms(x):
    return x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True))


def unit(x):
    return x / jnp.linalg.norm(x, axis=-1, keepdims=True)


def scores(q, k):
    return q @ k.swapaxes(-1, -2)


FORMULAS = {  # written out again from the models' formulas
    "Transformer": lambda q, k: scores(q * 64**-0.5, k),
    "GPT-2": lambda q, k: scores(q, k) / 8,
    "Whisper": lambda q, k: scores(q * 64**-0.25, k * 64**-0.25),
    "LLaMA 7B": lambda q, k: scores(q, k) / jnp.sqrt(128),
    "DeBERTa v2": lambda q, k: scores(q, k) / jnp.sqrt(64 * 3),
    "Zamba": lambda q, k: scores(q, k) / jnp.sqrt(64 / 2),
    "GPT-Neo 1.3B": scores,
    "T5-11B": scores,
    "muP": lambda q, k: scores(q, k) * 8 / 64,
    "Cerebras-GPT μP": lambda q, k: scores(q, k) / 128,
    "Granite 8B": lambda q, k: scores(q, k) * 0.0078125,
    "Gemma 2 9B": lambda q, k: 50 * jnp.tanh(scores(q, k) * 256**-0.5 / 50),
    "Gemma 2 27B": lambda q, k: 50 * jnp.tanh(scores(q, k) * 144**-0.5 / 50),
    "Gemma 3 27B": lambda q, k: scores(rms(q), rms(k)) * 168**-0.5,
    "Gemma 3n": lambda q, k: scores(rms(q), rms(k)),
    "Grok-1": lambda q, k: 30 * jnp.tanh(scores(q, k) * 128**-0.5 / 30),
    "QKNorm": lambda q, k: math.log2(9900) * scores(unit(q), unit(k)),
    "Swin v2": lambda q, k: 10 * scores(unit(q), unit(k)),
    "nGPT": lambda q, k: 8 * scores(unit(q), unit(k)),
    "Qwen3 8B": lambda q, k: scores(rms(q), rms(k)) * 128**-0.5,
    "Llama 4 Scout, rotary": lambda q, k: scores(rms(q), rms(k)) * 128**-0.5,
    "Llama 4, no rotary": lambda q, k: scores(q, k) * 128**-0.5,
    "gpt-oss": lambda q, k: scores(q, k) / 8 * (0.1 * math.log(32) + 1.0) ** 2,
    "DeepSeek-V3": lambda q, k: scores(q, k) * 192**-0.5 * (0.1 * math.log(40) + 1.0) ** 2,
    "Qwen-1": lambda q, k: scores(q, k) * 128**-0.5,
}


def test_every_model_is_tried_here():
    assert list(FORMULAS) == list(ah.models.REAL_MODELS)


@pytest.mark.parametrize("name", FORMULAS)
def test_logits_and_gradients_against_jax(name):
    d, rule = ah.models.REAL_MODELS[name]
    q, k = draw(d)
    expected, pull = jax.vjp(FORMULAS[name], q, k)
    np.testing.assert_allclose(rule.logits(q, k), expected, rtol=1e-10, atol=1e-12)
    grad = RNG.normal(size=expected.shape)
    for ours, theirs in zip(rule.vjp(q, k, grad), pull(grad), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_constants_that_a_formula_takes_from_the_width_are_of_that_width():
    for name, factor in {"Zamba": 1 / 2, "DeBERTa v2": 3}.items():
        d, rule = ah.models.REAL_MODELS[name]
        assert rule.scale(d, 10) == pytest.approx((factor * d) ** -0.5)


def test_rules_for_length():
    steps = ah.scales.LengthSteps()
    assert steps(64, 8191) == 0.125
    assert steps(64, 10 * 8192) == pytest.approx(0.125 * (1 + 0.1 * math.log(11)))
    assert ah.scales.LengthSteps(0.0, 1)(64, 99) == 0.125
    assert ah.scales.LengthSteps(1.0, 4, ah.Constant(2.0))(64, 11) == pytest.approx(
        2 + 2 * math.log(3)
    )
    qwen = ah.models.REAL_MODELS["Qwen-1"].rule.scale
    assert qwen(128, 2048) == pytest.approx(128**-0.5)
    assert qwen(128, 2048**2) == pytest.approx(2 * 128**-0.5)


@pytest.mark.parametrize("norm", [ah.UnitLength(), ah.RootMeanSquare()])
def test_norms_fix_the_length(norm):
    x = RNG.normal(size=(3, 4, 7))
    length = 1.0 if isinstance(norm, ah.UnitLength) else math.sqrt(7)
    np.testing.assert_allclose(np.linalg.norm(norm(x), axis=-1), length, rtol=1e-12)
    np.testing.assert_allclose(norm(1000 * x), norm(x), rtol=1e-12)
    assert np.all(norm(np.zeros((2, 7))) == 0)
    assert np.all(norm.vjp(np.zeros((2, 7)), np.ones((2, 7))) == 0)
    x, grad = np.array([[0.0, 0.0], [3.0, 0.0]]), np.ones((2, 2))
    found = norm.vjp(x, grad)  # each row by itself
    assert np.all(found[0] == 0)
    np.testing.assert_array_equal(found[1], norm.vjp(x[1], grad[1]))
    assert found[1, 1] > 0
    assert norm(x.astype(np.float32)).dtype == np.float32


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("norm", [ah.UnitLength(), ah.RootMeanSquare()])
def test_norms_at_the_ends_of_a_dtype(norm):
    """A norm does not see the size of its vector, and its gradient only as 1/size."""
    direction, grad = np.array([3.0, 4.0, 0.0]), np.array([1.0, 0.0, 2.0])
    for dtype, sizes in {
        np.float16: (1e-4, 1e-2, 100, 1e4),
        np.float32: (1e-38, 3e-25, 3e25, 8e37),
        np.float64: (1e-307, 1e-200, 1e200, 4e307),
    }.items():
        close = {"rtol": 6 * np.finfo(dtype).eps, "atol": np.finfo(dtype).smallest_subnormal}
        for size in sizes:
            x = (size * direction).astype(dtype)
            exact = np.ldexp(x.astype(float), -np.frexp(float(x.max()))[1])
            np.testing.assert_allclose(norm(x), norm(exact), **close)
            assert norm(x).dtype == norm.vjp(x, x).dtype == dtype
            if size in sizes[1:3]:  # beyond, 1/size is beyond the dtype
                back = norm.vjp(x, grad.astype(dtype)).astype(float) * float(x.max())
                expected = norm.vjp(exact, grad) * exact.max()
                slack = close["atol"] * float(x.max())  # the gradient may be subnormal
                np.testing.assert_allclose(back, expected, rtol=close["rtol"], atol=slack)


def test_norms_keep_every_digit_that_they_had():
    x = RNG.normal(size=(50, 7))
    length = np.sqrt(np.sum(x**2, axis=-1, keepdims=True))
    np.testing.assert_array_equal(ah.UnitLength()(x), x / length)


@given(st.floats(-3, 3), st.integers(1, 6))
def test_a_sink_takes_its_weight(sink, n):
    q, k = draw(4, n=n)
    plain, held = ah.AttentionRule(), ah.AttentionRule(sink=sink)
    z = np.exp(plain.logits(q, k))
    expected = z / (z.sum(axis=-1, keepdims=True) + math.exp(sink))
    np.testing.assert_allclose(held.weights(q, k), expected, rtol=1e-10)
    assert np.all(held.weights(q, k).sum(axis=-1) < 1)


def test_only_gpt_oss_keeps_weight_back():
    for name, (d, rule) in ah.models.REAL_MODELS.items():
        total = rule.weights(*draw(d)).sum(axis=-1)
        assert np.all(total < 1 - 1e-6) if name == "gpt-oss" else np.allclose(total, 1)


def test_statistics_on_a_row_done_by_hand():
    q, k = np.array([[2.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    grad = np.array([[1.0, 0.0]])
    found = ah.models.rule_statistics(ah.AttentionRule(ah.Constant(1.0)), q, k, grad)
    p = 1 / (1 + math.exp(-2))
    assert found.logit_std == pytest.approx(1)
    assert found.logit_max == pytest.approx(2)
    assert found.top_weight == pytest.approx(p)
    h = -(p * math.log(p) + (1 - p) * math.log(1 - p)) / math.log(2)
    assert found.entropy_share == pytest.approx(h)
    # d p_0 / d q = p (1 - p) (k_0 - k_1), whose components are ± p (1 - p)
    assert found.gradient_rms == pytest.approx(p * (1 - p))


def test_bad_input():
    rule, (q, k) = ah.AttentionRule(), draw(4)
    with pytest.raises(ValueError, match=r"query \(2, 3, 4\) and key \(2, 5, 3\) do not fit"):
        rule.logits(q, k[..., :3])
    with pytest.raises(ValueError, match="need at least two axes"):
        rule.logits(q[0, 0], k)
    with pytest.raises(ValueError, match=r"logits has shape \(2, 3, 5\) but grad"):
        rule.vjp(q, k, np.ones((2, 3, 4)))
    with pytest.raises(ValueError, match="at least two keys, got 1"):
        ah.models.rule_statistics(rule, q, k[:, :1], np.ones((2, 3, 1)))
    with pytest.raises(ValueError, match="sink must be a finite number, got inf"):
        ah.AttentionRule(sink=math.inf)
    with pytest.raises(ValueError, match="strength must be a finite number >= 0"):
        ah.scales.LengthSteps(-0.1)
    with pytest.raises(ValueError, match="step must be an integer >= 1"):
        ah.scales.LengthSteps(0.1, 0)
