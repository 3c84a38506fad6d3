import math

import numpy as np
import pytest

from why_sqrt_d.encoder.optimiser import Adam, clip_by_norm, warmup_cosine

RNG = np.random.default_rng(0)


def reference(start, gradients, rates, b1=0.9, b2=0.999, epsilon=1e-8):
    """Kingma & Ba's algorithm 1, one number at a time, in Python floats."""
    result = []
    for i, x in enumerate(start.tolist()):
        m = v = 0.0
        for t, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), 1):
            g = float(gradient[i])
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g**2
            x -= rate * (m / (1 - b1**t)) / (math.sqrt(v / (1 - b2**t)) + epsilon)
        result.append(x)
    return result


def test_adam_is_algorithm_1():
    start, gradients = RNG.normal(size=4), RNG.normal(size=(12, 4)) * [1, 1e-8, 1e3, 0]
    rates = RNG.random(12)
    params = start.copy()
    adam = Adam(params)
    for gradient, rate in zip(gradients, rates, strict=True):
        before = gradient.copy()
        adam.step(gradient, rate)
        np.testing.assert_array_equal(gradient, before)
    assert adam.params is params
    expected = reference(start, gradients, rates)
    np.testing.assert_allclose(params, expected, rtol=1e-12)


def test_adam_keeps_float32():
    params = np.ones(3, np.float32)
    Adam(params).step(np.array([1, -2, 0], np.float32), 0.1)
    assert params.dtype == np.float32
    np.testing.assert_allclose(params, [0.9, 1.1, 1.0], rtol=1e-6)


def test_clip_shortens_only_what_is_long():
    long, short = RNG.normal(size=50), np.full(4, 1e-3)
    clipped = clip_by_norm(long, 0.5)
    assert np.linalg.norm(clipped) == pytest.approx(0.5, rel=1e-14)
    np.testing.assert_allclose(clipped / long, clipped[0] / long[0])
    assert clip_by_norm(short, 0.5) is short
    assert clip_by_norm(np.array([3.0, 4.0]), 5.0).tolist() == [3.0, 4.0]


def test_clip_in_float32_does_not_overflow():
    clipped = clip_by_norm(np.array([3e30, 4e30], np.float32), 1.0)
    assert clipped.dtype == np.float32
    np.testing.assert_allclose(clipped, [0.6, 0.8], rtol=1e-6)


def test_clip_leaves_its_input():
    gradient = np.array([3.0, 4.0])
    clip_by_norm(gradient, 1.0)
    assert gradient.tolist() == [3.0, 4.0]


def test_warmup_cosine_closed_values():
    for step, warmup, total, share in (
        (0, 0, 100, 1.0),
        (0, 10, 100, 0.0),
        (5, 10, 100, 0.5 * (1 + math.cos(math.pi / 20)) / 2),
        (10, 10, 100, (1 + math.cos(math.pi / 10)) / 2),
        (50, 10, 100, 0.5),
        (75, 100, 300, 0.75 * (1 + math.sqrt(0.5)) / 2),
        (100, 0, 300, 0.75),
        (100, 10, 100, 0.0),
    ):
        assert warmup_cosine(step, warmup, total) == pytest.approx(share, abs=1e-15)


def test_errors_quote_what_was_given():
    two = np.ones(2)
    for call, error, message in (
        (lambda: Adam(np.ones(2, int)), ValueError, "float32 or float64, got int64"),
        (lambda: Adam(np.ones((2, 3))), ValueError, r"must be flat, .* got float64, \(2, 3\)"),
        (lambda: Adam(two).step(np.ones(3), 0.1), ValueError, r"\(3,\) but params .*\(2,"),
        (lambda: Adam(two).step(two, -0.1), ValueError, "learning_rate .* -0.1"),
        (lambda: clip_by_norm([1.0], 0.0), ValueError, "max_norm .* got 0.0"),
        (lambda: clip_by_norm([1.0, np.nan], 1.0), ValueError, "norm nan"),
        (lambda: clip_by_norm(["a"], 1.0), TypeError, "gradient must be real"),
        (lambda: warmup_cosine(101, 10, 100), ValueError, r"step must be in 0\.\.100 .* 101"),
        (lambda: warmup_cosine(-1, 10, 100), ValueError, "got -1"),
        (lambda: warmup_cosine(1, -3, 100), ValueError, "warmup >= 0, got 1 and -3"),
        (lambda: warmup_cosine(0, 0, 0), ValueError, "total .* got 0"),
    ):
        with pytest.raises(error, match=message):
            call()
