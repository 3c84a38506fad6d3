"""Slopes in the scale against JAX; the least loss is where it should be."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import attn_helpers as ah
from attn_helpers.temperature import target_loss


def test_target_loss_is_jaxs_with_its_slope():
    rng = np.random.default_rng(3)
    z, targets = rng.normal(size=(7, 5)) * 3, rng.integers(5, size=7)

    def loss(beta):
        return -jnp.mean(jax.nn.log_softmax(beta * z)[np.arange(7), targets])

    oracle = jax.jit(jax.value_and_grad(loss))
    for beta in (0.0, 0.4, 2.0):
        got = target_loss(z, targets, beta)
        expected = map(float, oracle(beta))
        assert got == pytest.approx(tuple(expected))


def test_the_best_of_a_sweep_is_the_strength():
    z, targets = ah.needle.draw_needle_rows(0.4, 64, 50, 20_000, np.random.default_rng(5))
    scales = np.linspace(0.2, 0.6, 9)
    losses = [target_loss(z, targets, scale).loss for scale in scales]
    assert scales[np.argmin(losses)] == pytest.approx(0.4, abs=0.051)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: target_loss(np.zeros(3), [1], 1.0), r"got shapes \(3,\) and \(1,\)"),
        (lambda: target_loss(np.zeros((3, 2)), [1], 1.0), r"got shapes \(3, 2\) and \(1,\)"),
        (lambda: target_loss(np.zeros((1, 2)), [1], -1.0), "scale must be .* got -1.0"),
        (lambda: target_loss([[0.0, 2.0]], [-1], 1.0), r"must be in 0\.\.1, got -1 in row 0"),
        (lambda: target_loss(np.zeros((2, 3)), [0, 3], 1.0), r"in 0\.\.2, got 3 in row 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_targets_are_indices():
    with pytest.raises(TypeError, match=r"targets must be integers, .* got dtype float64"):
        target_loss([[0.0, 2.0]], [1.0], 1.0)
