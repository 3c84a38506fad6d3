"""Scores of projected tokens, and logits before training."""

import numpy as np
import pytest

from attn_helpers.initialisation import (
    INITIALISATIONS,
    _weights,
    initial_logit_std,
    measure_initial_logits,
)

RNG = np.random.default_rng(0)
GPT2 = INITIALISATIONS["GPT-2"]


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
    t5 = INITIALISATIONS["T5, no scale"].stds(512, 64)
    assert t5 == pytest.approx((512**-0.5 / 8, 512**-0.5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: initial_logit_std(GPT2, 10, 3), "d_model = 10 and heads = 3"),
        (lambda: measure_initial_logits(GPT2, 12, 3, RNG, tokens=1), "tokens >= 2, got 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
