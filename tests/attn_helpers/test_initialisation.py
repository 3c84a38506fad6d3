"""Logits before training."""

import numpy as np
import pytest

import attn_helpers as ah

WIDTH, HEADS = 96, 4


@pytest.mark.parametrize("name", ah.initialisation.INITIALISATIONS)
def test_measured_logits_agree_with_the_prediction(name: str) -> None:
    scheme = ah.initialisation.INITIALISATIONS[name]
    draws = [
        ah.initialisation.measure_initial_logits(scheme, WIDTH, HEADS, rng, tokens=128)
        for rng in np.random.default_rng(1).spawn(8)
    ]
    error = np.std(draws, ddof=1) / np.sqrt(len(draws))
    expected = ah.initialisation.initial_logit_std(scheme, WIDTH, HEADS)
    assert abs(np.mean(draws) - expected) < 5 * error + 0.005 * expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Xavier, one matrix each", 1.0),
        ("Xavier, fused q, k, v", 0.5),
        ("nn.Linear default", 1 / 3),
        ("GPT-2", 768 * 0.02**2),
        ("T5, no scale", 1.0),
    ],
)
def test_closed_forms_at_the_size_of_gpt2_small(name: str, expected: float) -> None:
    assert ah.initialisation.initial_logit_std(
        ah.initialisation.INITIALISATIONS[name], 768, 12
    ) == pytest.approx(expected)


def test_only_gpt2_depends_on_the_width() -> None:
    for name, scheme in ah.initialisation.INITIALISATIONS.items():
        small, large = (
            ah.initialisation.initial_logit_std(scheme, width, 4) for width in (64, 256)
        )
        assert (small == pytest.approx(large)) == (name != "GPT-2")


def test_weights_have_the_law_the_scheme_says() -> None:
    rng = np.random.default_rng(2)
    from attn_helpers.initialisation import _weights

    uniform = _weights(ah.initialisation.INITIALISATIONS["nn.Linear default"], 0.1, 200, rng)
    normal = _weights(ah.initialisation.INITIALISATIONS["GPT-2"], 0.1, 200, rng)
    assert np.abs(uniform).max() <= 0.1 * np.sqrt(3)
    assert np.abs(normal).max() > 0.3
    assert uniform.std() == pytest.approx(0.1, rel=0.02)
    assert normal.std() == pytest.approx(0.1, rel=0.02)


def test_bad_sizes_are_named() -> None:
    scheme = ah.initialisation.INITIALISATIONS["GPT-2"]
    with pytest.raises(ValueError, match="d_model = 10 and heads = 3"):
        ah.initialisation.initial_logit_std(scheme, 10, 3)
    with pytest.raises(ValueError, match="tokens >= 2, got 1"):
        ah.initialisation.measure_initial_logits(scheme, 12, 3, np.random.default_rng(0), tokens=1)
