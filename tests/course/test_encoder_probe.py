import numpy as np
import pytest
from scipy.stats import entropy as scipy_entropy

from why_sqrt_d.encoder.model import EncoderSettings, forward, initialise
from why_sqrt_d.encoder.probe import probe_attention


def plain_attention(params, tokens, model):
    """Scores and weights (batch, queries, keys), written the slow way."""
    d, views = model.length, model.views(params)
    _, cache = forward(params, tokens, model)
    x = cache["qkv"].T  # (T, d), what enters the attention
    qkv = x @ views["qkv.weight"].T + views["qkv.bias"]
    q, k, _ = qkv.reshape(len(tokens), d, 3, d).transpose(2, 0, 1, 3)
    scores = np.array([a @ b.T for a, b in zip(q, k, strict=True)])
    weights = np.exp(model.beta * scores)
    return scores, weights / weights.sum(-1, keepdims=True)


@pytest.mark.parametrize("scale", [None, 0.1, 4.0])
def test_against_the_plain_computation(scale):
    rng = np.random.default_rng(0)
    model = EncoderSettings(7, 6, scale)
    params = initialise(model, rng) + 0.3 * rng.normal(size=model.parameter_count)
    tokens = rng.integers(7, size=(5, 6))
    probe = probe_attention(params, tokens, model)
    scores, weights = plain_attention(params, tokens, model)
    assert probe.score_std == pytest.approx(np.sqrt(scores.var(axis=-1).mean()), rel=1e-10)
    assert probe.logit_std == pytest.approx(model.beta * probe.score_std, rel=1e-12)
    assert probe.score_std_all == pytest.approx(scores.std(), rel=1e-10)
    assert probe.entropy == pytest.approx(scipy_entropy(weights, axis=-1).mean(), rel=1e-10)
    assert probe.max_weight == pytest.approx(weights.max(-1).mean(), rel=1e-10)
    qkv = model.views(params)["qkv.weight"]
    assert probe.query_weight_std == pytest.approx(qkv[:6].std())
    assert probe.key_weight_std == pytest.approx(qkv[6:12].std())


def test_values_are_plain_floats_in_float32_too():
    model = EncoderSettings(7, 6)
    params = initialise(model, np.random.default_rng(0), np.float32)
    probe = probe_attention(params, np.zeros((2, 6), int), model)
    assert all(type(value) is float for value in vars(probe).values())
