"""Scores of projected tokens, and logits before training."""

import numpy as np
import pytest

from attn_helpers import score_statistics
from attn_helpers.initialisation import (
    INITIALISATIONS,
    _weights,
    initial_logit_std,
    measure_initial_logits,
    projected_score_variance,
    weight_std,
)

RNG = np.random.default_rng(0)
GPT2 = INITIALISATIONS["GPT-2"]


@pytest.mark.parametrize("same_token", [False, True])
@pytest.mark.parametrize(("d_x", "d_k"), [(1, 1), (3, 2), (16, 4)])
def test_variance_agrees_with_simulation(d_x, d_k, same_token):
    rng = np.random.default_rng(7)
    x, other = rng.normal(0, 1.5, (2, 60_000, d_x, 1))
    query = rng.normal(0, 0.7, (60_000, d_k, d_x)) @ x
    key = rng.normal(0, 0.4, (60_000, d_k, d_x)) @ (x if same_token else other)
    got = score_statistics((query * key).sum(axis=(1, 2)))
    expected = projected_score_variance(d_x, d_k, 1.5, 0.7, 0.4, same_token)
    assert abs(got.mean) <= 5 * got.mean_se
    assert abs(got.variance - expected) <= 5 * got.variance_se
    other = projected_score_variance(d_x, d_k, 1.5, 0.7, 0.4, not same_token)
    if d_x < 16:
        assert abs(got.variance - other) > 5 * got.variance_se


@pytest.mark.parametrize(
    ("scheme", "d_in", "d_out", "expected"),
    [
        ("xavier", 512, 64, np.sqrt(2 / 576)),
        ("linear", 300, 7, 1 / 30),
        ("t5_query", 512, 64, 512**-0.5 * 64**-0.5),
        ("t5_key", 512, 64, 512**-0.5),
    ],
)
def test_weight_std(scheme, d_in, d_out, expected):
    assert weight_std(scheme, d_in, d_out) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("width", [96, 768])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Xavier, one matrix each", 1.0),
        ("Xavier, fused q, k, v", 0.5),
        ("nn.Linear default", 1 / 3),
        ("GPT-2", 0.02**2),  # times the width
        ("T5, no scale", 1.0),
    ],
)
def test_logits_have_the_closed_form_and_are_measured_so(name, expected, width):
    scheme, expected = INITIALISATIONS[name], expected * (width if name == "GPT-2" else 1)
    assert initial_logit_std(scheme, width, width // 24) == pytest.approx(expected)
    if width == 96:
        rngs = np.random.default_rng(1).spawn(8)
        draws = [measure_initial_logits(scheme, width, 4, rng, tokens=128) for rng in rngs]
        error = np.std(draws, ddof=1) / np.sqrt(len(draws))
        assert abs(np.mean(draws) - expected) < 5 * error + 0.005 * expected
        assert measure_initial_logits(scheme, width, 4, rngs[0], tokens=2) < 3 * expected


def test_weights_have_the_law_the_scheme_says():
    """Uniform for PyTorch's Xavier and nn.Linear, normal for GPT-2 and T5; the mean is zero."""
    for name, scheme in INITIALISATIONS.items():
        weights = _weights(scheme, 0.1, 200, RNG)
        bounded = np.abs(weights).max() <= 0.1 * np.sqrt(3)
        assert bounded == name.startswith(("Xavier", "nn.Linear")), name
        assert weights.std() == pytest.approx(0.1, rel=0.02)
        assert abs(weights.mean()) < 5 * 0.1 / 200


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weight_std("he", 4, 4), "^scheme must be one of xavier, .*, got 'he'$"),
        (lambda: weight_std("xavier", 0, 4), "^d_in must be an integer >= 1, got 0$"),
        (lambda: projected_score_variance(4, 4, -1.0, 1.0, 1.0), "^std_x must be .* got -1.0$"),
        (lambda: initial_logit_std(GPT2, 10, 3), "d_model = 10 and heads = 3"),
        (lambda: measure_initial_logits(GPT2, 12, 3, RNG, tokens=1), "tokens >= 2, got 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
