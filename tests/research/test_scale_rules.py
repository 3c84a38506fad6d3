"""What is measured of the attention, and the rules that set β by it."""

import numpy as np
import pytest
from scipy.stats import entropy as scipy_entropy
from stored_outputs import from_the_page

from research.ch7.scale_rules import from_scores, from_search, from_weights, probe_attention
from why_sqrt_d.encoder import (
    EncoderSettings,
    Training,
    TrainingSettings,
    forward,
    initialise,
    measure_accuracy,
)

MODEL = EncoderSettings(9, 16)


def start(seed=0):
    rng = np.random.default_rng(seed)
    params = initialise(MODEL, rng) + 0.1 * rng.normal(size=MODEL.parameter_count)
    return params, rng.integers(9, size=(40, 16))


@pytest.mark.parametrize("scale", [None, 4.0])
def test_probe_against_the_plain_computation(scale):
    params, tokens = start()
    model = EncoderSettings(9, 16, scale)
    views, x = model.views(params), forward(params, tokens, model)[1]["qkv"]  # (T, d)
    qkv = x @ views["qkv.weight"].T + views["qkv.bias"]
    q, k, _ = qkv.reshape(40, 16, 3, 16).transpose(2, 0, 1, 3)
    scores = np.array([a @ b.T for a, b in zip(q, k, strict=True)])
    weights = np.exp(model.beta * scores)
    weights /= weights.sum(-1, keepdims=True)
    probe = probe_attention(params, tokens, model)
    assert probe.score_std == pytest.approx(np.sqrt(scores.var(axis=-1).mean()), rel=1e-10)
    assert probe.logit_std == pytest.approx(model.beta * probe.score_std, rel=1e-12)
    assert probe.score_std_all == pytest.approx(scores.std(), rel=1e-10)
    assert probe.entropy == pytest.approx(scipy_entropy(weights, axis=-1).mean(), rel=1e-10)
    assert probe.max_weight == pytest.approx(weights.max(-1).mean(), rel=1e-10)
    assert probe.query_weight_std == pytest.approx(views["qkv.weight"][:16].std())
    assert probe.key_weight_std == pytest.approx(views["qkv.weight"][16:32].std())


def test_from_scores_gives_logits_of_variance_one():
    params, tokens = start()
    now = EncoderSettings(9, 16, from_scores(params, tokens, tokens, MODEL))
    assert probe_attention(params, tokens, now).logit_std == pytest.approx(1)


def test_from_weights_is_the_formula_of_the_source():
    params, tokens = start()
    qkv = MODEL.views(params)["qkv.weight"]
    x = forward(params, tokens, MODEL)[1]["qkv"]
    one_side = [16 * x.var() * part.var() for part in (qkv[:16], qkv[16:32])]
    beta = from_weights(params, tokens, tokens, MODEL)
    assert beta == pytest.approx((one_side[0] * one_side[1] * 16) ** -0.5)
    on_the_page = from_the_page("07-dynamic-beta", "measured")
    assert on_the_page(qkv[:16], qkv[16:32], x) == pytest.approx(beta)


def test_from_search_finds_a_scale_that_is_at_least_as_accurate():
    settings = TrainingSettings(5, 4, 2560, epochs=4, learning_rate=5e-3, scale=2.0)
    run = Training(settings, 0).finish()
    tokens, targets = run.unseen(200)

    def accuracy(scale):
        return measure_accuracy(run.params, tokens, targets, EncoderSettings(5, 4, scale))

    found = accuracy(from_search(run.params, tokens, targets, run.model))
    assert all(found >= accuracy(scale) for scale in (0.01, 1.0, 100.0))
