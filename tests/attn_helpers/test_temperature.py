"""Slopes in the scale against JAX and finite differences; learning finds what it should."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attn_helpers as ah
from attn_helpers.temperature import (
    entropy_slope,
    sweep_scales,
    target_loss,
)

ROWS = arrays(np.float64, (6,), elements=st.floats(-20, 20))


@jax.jit
@jax.grad
def jax_slope(beta, z):
    logs = jax.nn.log_softmax(beta * z)
    return -jnp.sum(jnp.exp(logs) * logs)


@given(ROWS, st.floats(0, 5))
def test_entropy_slope_is_jaxs(z, scale):
    expected = float(jax_slope(scale, z))
    assert entropy_slope(z, scale) == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert entropy_slope(z, scale) <= 0


@pytest.mark.filterwarnings("error")
def test_entropy_slope_in_float16_is_computed_in_float32():
    z = np.array([300, -300], np.float16)  # a variance that float16 cannot hold
    assert entropy_slope(z, 0.01) == pytest.approx(entropy_slope(z.astype(float), 0.01), rel=1e-5)
    z = np.array([6e-4, -6e-4], np.float16)
    assert entropy_slope(z, 1.0) == pytest.approx(-(float(z[0]) ** 2), rel=1e-5)


def test_entropy_slope_takes_rows():
    z = np.random.default_rng(0).normal(size=(2, 3, 5))
    slopes = entropy_slope(z, 1.3)
    assert slopes.shape == (2, 3)
    assert slopes[1, 2] == pytest.approx(entropy_slope(z[1, 2], 1.3))


def test_target_loss_is_jaxs_with_both_derivatives():
    rng = np.random.default_rng(3)
    z, targets = rng.normal(size=(7, 5)) * 3, rng.integers(5, size=7)

    def loss(beta):
        return -jnp.mean(jax.nn.log_softmax(beta * z)[np.arange(7), targets])

    slope = jax.grad(loss)
    oracle = jax.jit(lambda beta: (loss(beta), slope(beta), jax.grad(slope)(beta)))
    for beta in (0.0, 0.4, 2.0):
        got = target_loss(z, targets, beta)
        expected = map(float, oracle(beta))
        assert (got.loss, got.slope, got.curvature) == pytest.approx(tuple(expected))
        assert got.curvature >= 0


def test_the_best_of_a_sweep_is_the_strength():
    z, targets = ah.needle.draw_needle_rows(0.4, 64, 50, 20_000, np.random.default_rng(5))
    scales = np.linspace(0.2, 0.6, 9)
    losses = sweep_scales(z, targets, scales)
    assert losses.shape == (9,)
    assert scales[losses.argmin()] == pytest.approx(0.4, abs=0.051)
    assert losses[2] == target_loss(z, targets, scales[2]).loss


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: target_loss(np.zeros(3), [1], 1.0), r"got shapes \(3,\) and \(1,\)"),
        (lambda: target_loss(np.zeros((3, 2)), [1], 1.0), r"got shapes \(3, 2\) and \(1,\)"),
        (lambda: target_loss(np.zeros((1, 2)), [1], -1.0), "scale must be .* got -1.0"),
        (lambda: target_loss([[0.0, 2.0]], [-1], 1.0), r"must be in 0\.\.1, got -1 in row 0"),
        (lambda: target_loss(np.zeros((2, 3)), [0, 3], 1.0), r"in 0\.\.2, got 3 in row 1"),
        (lambda: entropy_slope(np.zeros(0), 1.0), "empty"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_targets_are_indices():
    with pytest.raises(TypeError, match=r"targets must be integers, .* got dtype float64"):
        target_loss([[0.0, 2.0]], [1.0], 1.0)
