"""A needle among random keys: simulated, in closed form, in bounded memory."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import peak
from scipy import special, stats

import attn_helpers as ah
from attn_helpers import needle
from attn_helpers.needle import (
    draw_needle_rows,
    match_capacity,
    needle_weight,
    simulate_needle,
    sufficient_scale,
)


def directly(scales, margin, scores):
    """The needle's weight by the softmax itself, its score in front of the others."""
    row = np.concatenate([np.full((len(scores), 1), margin), scores], axis=1)
    return np.stack([ah.softmax(b * row)[:, 0] for b in scales], axis=1)


def test_weights_are_those_of_the_softmax_however_the_keys_are_cut(monkeypatch):
    scores, scales = np.random.default_rng(1).standard_normal((7, 30)), (0.0, 0.5, 3.0, 400.0)
    rest = iter(scores)
    monkeypatch.setattr(needle, "BLOCK", 31)  # a row at a time
    monkeypatch.setattr(
        needle, "_score_blocks", lambda *_: np.split(next(rest)[None], [4, 5, 20], axis=1)
    )
    got = simulate_needle(scales, 2.0, n=30, rows=7, rng=np.random.default_rng())
    np.testing.assert_allclose(got, directly(scales, 2.0, scores), rtol=1e-12, atol=1e-300)


def test_real_keys_give_the_law_of_the_cosine(monkeypatch):
    """Scores of real vectors have the density of sqrt(d)·cos, and a block does not change that."""
    monkeypatch.setattr(needle, "BLOCK", 1000)
    rng, d = np.random.default_rng(2), 5
    scores = np.concatenate([*needle._score_blocks(4000, 1, rng, d)], axis=1)[0]
    cosine = scores / math.sqrt(d)
    assert np.abs(cosine).max() <= 1 + 1e-12
    assert stats.kstest((cosine + 1) / 2, stats.beta((d - 1) / 2, (d - 1) / 2).cdf).pvalue > 1e-3
    assert scores.var() == pytest.approx(1, abs=0.1)


def test_normal_scores_have_the_predicted_weight():
    for n, margin, scale in ((1000, 6.0, 1.0), (20_000, 5.0, 2.0)):
        weights = simulate_needle([scale], margin, n, 300, np.random.default_rng(3))[:, 0]
        predicted = needle_weight(n, margin, scale)
        error = weights.std(ddof=1) / np.sqrt(weights.size)
        # The prediction puts a mean inside a convex function: close, not exact.
        assert abs(weights.mean() - predicted) < 5 * error + 0.01 * predicted


@given(st.integers(2, 10**9), st.floats(-1e4, 1e4), st.floats(0, 100))
def test_needle_is_a_weight_whatever_is_asked(n, margin, scale):
    assert 0 <= needle_weight(n, margin, scale) <= 1


def test_needle_without_scale_is_uniform():
    assert needle_weight(99, margin=5.0, scale=0.0) == pytest.approx(0.01)


def test_a_million_real_keys_stay_far_below_half_a_gigabyte():
    """2²⁰ keys of 64 components would take 512 MB at once."""
    rng = np.random.default_rng(4)
    weights, held = peak(simulate_needle, [1.0], 6.0, 2**20, 1, rng, d=64)
    assert held < 100e6
    assert weights[0, 0] == pytest.approx(needle_weight(2**20, 6.0), rel=0.02)


@given(st.integers(1, 10**9), st.floats(0.1, 30))
def test_the_sufficient_scale_gives_half_the_weight(n, margin):
    scale = sufficient_scale(n, margin)
    if n > math.exp(margin**2 / 2) * (1 + 1e-9):
        assert math.isnan(scale)
    elif n >= 2 and not math.isnan(scale):
        assert 0 <= scale <= margin
        assert needle_weight(n, margin, scale) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(("n", "margin"), [(1000, 3.0), (50, 1.0)])
def test_at_no_scale_do_more_rows_find_the_needle_than_have_it_on_top(n, margin):
    """Above half of the weight only where it is the largest: a share Φ(D)^n of the rows."""
    weights = simulate_needle([1.0, 4.0, 400.0], margin, n, 4000, np.random.default_rng(9))
    share, most = (weights > 0.5).mean(axis=0), stats.norm.cdf(margin) ** n
    assert (share < most + 5 * math.sqrt(most / 4000)).all()
    assert share[-1] == pytest.approx(most, abs=5 * math.sqrt(most / 4000))


def test_match_capacity_is_scipys_also_where_the_series_is_huge():
    for d, gain in ((2, 1.0), (3, 2.0), (7, 0.3), (64, 1.0), (64, 8.0), (4, 500.0)):
        x = gain * math.sqrt(d)
        order = d / 2 - 1
        log_mean = (
            math.log(special.ive(order, x)) + x + special.gammaln(d / 2) + order * math.log(2 / x)
        )
        assert math.log(match_capacity(d, gain)) == pytest.approx(x - log_mean, rel=1e-9)


def test_capacity_is_where_the_measured_weight_is_a_half():
    n = round(match_capacity(64))
    weights = simulate_needle([1.0], 8.0, n, 150, np.random.default_rng(6), d=64)[:, 0]
    error = weights.std(ddof=1) / np.sqrt(weights.size)
    assert abs(weights.mean() - 0.5) < 5 * error + 1e-3


def test_needle_rows_are_those_of_real_vectors():
    """Moments of both kinds of score against vectors drawn in full."""
    strength, d, rows = 0.5, 16, 20_000
    scores, targets = draw_needle_rows(strength, d, 3, rows, np.random.default_rng(7))
    rng = np.random.default_rng(8)
    query, noise = rng.standard_normal((2, rows, d))
    real = (query * noise).sum(-1), (query * (strength * query + noise)).sum(-1)
    found = scores[np.arange(rows), targets]
    others = scores[np.arange(rows), (targets + 1) % 3]
    assert np.bincount(targets, minlength=3).min() > rows / 4
    for one, other in zip((others, found), real, strict=True):
        a, b = ah.score_statistics(one), ah.score_statistics(other)
        assert abs(a.mean - b.mean) < 5 * math.hypot(one.std(), other.std()) / math.sqrt(rows)
        assert abs(a.variance - b.variance) < 5 * math.hypot(a.variance_se, b.variance_se)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate_needle([1.0], 1.0, 0, 1, np.random.default_rng()), "n must be .* 0"),
        (lambda: simulate_needle([-1.0], 1.0, 1, 1, np.random.default_rng()), "scale .* -1.0"),
        (lambda: simulate_needle([1.0], 1.0, 1, 1, np.random.default_rng(), d=0), "d must be"),
        (lambda: draw_needle_rows(1.0, 4, 2, 0, np.random.default_rng()), "rows must be .* 0"),
        (lambda: needle_weight(10, 1.0, scale=-1), "scale .* -1"),
        (lambda: sufficient_scale(10, 0.0), "margin must be .* got 0.0"),
        (lambda: match_capacity(64, -1.0), "gain must be .* got -1.0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
