import numpy as np
import pytest

from why_sqrt_d.encoder.model import EncoderSettings, forward, initialise
from why_sqrt_d.encoder.probe import probe_attention
from why_sqrt_d.encoder.rules import RULES, from_scores, from_search, from_weights
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy

MODEL = EncoderSettings(9, 16)


def start(seed=0):
    rng = np.random.default_rng(seed)
    return initialise(MODEL, rng), rng.integers(9, size=(40, 16))


def test_from_scores_gives_logits_of_variance_one():
    params, tokens = start()
    beta = from_scores(params, tokens, tokens, MODEL)
    now = EncoderSettings(9, 16, beta)
    assert probe_attention(params, tokens, now).logit_std == pytest.approx(1)


def test_from_weights_is_the_formula_of_the_source():
    params, tokens = start()
    beta = from_weights(params, tokens, tokens, MODEL)
    qkv = MODEL.views(params)["qkv.weight"]
    x = forward(params, tokens, MODEL)[1]["qkv"]
    one_side = [16 * x.var() * part.var() for part in (qkv[:16], qkv[16:32])]
    assert beta == pytest.approx((one_side[0] * one_side[1] * 16) ** -0.5)


def test_the_prediction_is_right_for_independent_inputs():
    """With inputs that are independent noise the two rules agree on average."""
    rng, d = np.random.default_rng(0), 64
    x, w = rng.normal(size=(400, d)), rng.normal(size=(2, d, d)) * 0.3
    scores = (x @ w[0].T) @ (x @ w[1].T).T
    predicted = np.sqrt((d * 0.09) ** 2 * d)
    assert scores[~np.eye(400, dtype=bool)].std() == pytest.approx(predicted, rel=0.05)


def test_from_search_finds_a_scale_that_is_at_least_as_accurate():
    run = Training(TrainingSettings(5, 4, 2560, epochs=4, learning_rate=5e-3, scale=2.0), 0)
    run.finish()
    tokens, targets = run.unseen(200)
    beta = from_search(run.params, tokens, targets, run.model)
    searched = EncoderSettings(5, 4, beta)
    for scale in (0.01, 1.0, 100.0):
        other = EncoderSettings(5, 4, scale)
        assert measure_accuracy(run.params, tokens, targets, searched) >= measure_accuracy(
            run.params, tokens, targets, other
        )


@pytest.mark.parametrize("name", RULES)
def test_rules_return_a_usable_scale(name):
    params, tokens = start()
    beta = RULES[name](params.astype(np.float32), tokens, tokens[:, ::-1], MODEL)
    assert type(beta) is float
    assert 0 < beta < np.inf
