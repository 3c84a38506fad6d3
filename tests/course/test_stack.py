"""The stack's backward pass against JAX, and against what passes through the values alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from why_sqrt_d.ch4.stack import draws, random_stack, stack_gradients


def oracle(h, weights, scale, residual, normalise):
    for w in weights:
        x = h
        if normalise:
            x = x - x.mean(axis=-1, keepdims=True)
            x = x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-5)
        q, k, v = x @ w[0], x @ w[1], x @ w[2]
        out = jax.nn.softmax(scale * q @ k.T, axis=-1) @ v
        h = h + out if residual else out
    return h


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("normalise", [False, True])
def test_states_and_gradients_at_every_depth_agree_with_jax(residual, normalise):
    drawn = random_stack(3, 5, 6, np.random.default_rng(1))
    tokens, weights, grad = (part.astype(np.float64) for part in drawn)
    options = (0.7, residual, normalise)
    grads, states = stack_gradients(tokens, weights, grad, *options)
    assert len(grads) == len(states) == 4
    for below, (found, state) in enumerate(zip(grads[::-1], states[::-1], strict=True)):
        h = oracle(jnp.asarray(tokens), weights[:below], *options)
        np.testing.assert_allclose(state, h, atol=1e-12)
        _, back = jax.vjp(lambda h, above=weights[below:]: oracle(h, above, *options), h)
        np.testing.assert_allclose(found, back(jnp.asarray(grad))[0], atol=1e-10)


def test_through_the_values_alone_each_layer_doubles_what_all_tokens_share():
    """It begins at length one: the tokens and matrices have the variances that they promise."""
    [found] = draws([0.0], residual=True, normalise=False, seeds=30)
    expected = np.sqrt(63 / 64 + 2.0 ** np.arange(13) / 64)
    np.testing.assert_allclose(np.sqrt((found**2).mean(axis=0)), expected, rtol=0.12)
