"""The stack's hand-written backward pass against JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from why_sqrt_d.ch4.stack import draws, random_stack, stack_gradients, stack_output

RNG = np.random.default_rng(0)


def oracle(weights, tokens, scale, residual, normalise):
    h = tokens
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
def test_output_and_gradients_agree_with_jax(residual, normalise):
    tokens, weights, grad = random_stack(3, 5, 6, np.random.default_rng(1))
    options = (0.7, residual, normalise)
    expected = oracle(jnp.asarray(weights), jnp.asarray(tokens), *options)
    np.testing.assert_allclose(stack_output(tokens, weights, *options), expected, atol=1e-12)

    def loss(w, t):
        return jnp.sum(grad * oracle(w, t, *options))

    to_weights, to_tokens = jax.grad(loss, argnums=(0, 1))(
        jnp.asarray(weights), jnp.asarray(tokens)
    )
    found = stack_gradients(tokens, weights, grad, *options)
    np.testing.assert_allclose(found.grad, to_tokens, atol=1e-10)
    for layer in range(3):
        for name, place in (("w_query", 0), ("w_value", 2)):
            want = float(jnp.linalg.norm(to_weights[layer, place]))
            assert getattr(found, name)[layer] == pytest.approx(want, rel=1e-8, abs=1e-12)
        below = stack_output(tokens, weights[:layer], *options) if layer else tokens
        rest = stack_gradients(below, weights[layer:], grad, *options)
        assert found.inputs[layer] == pytest.approx(np.linalg.norm(rest.grad))
        assert found.squares[layer] == pytest.approx(np.mean(below**2))
    assert found.squares[-1] == pytest.approx(np.mean(np.asarray(expected) ** 2))


def test_draws_begin_at_the_output():
    found = draws(0.5, residual=True, normalise=False, n=3, d=4, layers=2, seeds=2)
    for seed in range(2):
        start = random_stack(2, 3, 4, np.random.default_rng([5, seed]))
        one = stack_gradients(*start, 0.5, True, False)
        assert found.lengths[seed].tolist() == one.inputs[::-1].tolist()
        assert found.squares[seed].tolist() == one.squares[::-1].tolist()


def test_through_the_values_alone_each_layer_doubles_what_all_tokens_share():
    found = draws(0.0, residual=True, normalise=False, seeds=30).lengths
    expected = np.sqrt(63 / 64 + 2.0 ** np.arange(13) / 64)
    np.testing.assert_allclose(np.sqrt((found**2).mean(axis=0)), expected, rtol=0.12)


def test_one_length_a_depth_and_the_last_is_that_of_the_given_gradient():
    made = random_stack(2, 4, 3, RNG)
    before = [a.copy() for a in made]
    found = stack_gradients(*made, 1.0, True, True)
    assert found.inputs[-1] == pytest.approx(np.linalg.norm(made[-1]))
    assert found.inputs.shape == (3,)
    assert found.w_query.shape == found.w_value.shape == (2,)
    for a, b in zip(made, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_random_stack_has_the_variances_it_promises():
    tokens, weights, grad = random_stack(2, 60, 50, np.random.default_rng(2))
    assert tokens.var() == pytest.approx(1, rel=0.1)
    assert weights.var() == pytest.approx(1 / 50, rel=0.05)
    assert np.linalg.norm(grad) == pytest.approx(1, rel=0.1)


def test_bad_shapes_are_quoted():
    tokens, weights = np.ones((2, 3)), np.ones((1, 3, 3, 3))
    for given, scale, said in (
        ((tokens, np.ones((1, 3, 2, 2)), tokens), 1.0, r"\(1, 3, 2, 2\)"),
        ((np.ones(3), weights, np.ones(3)), 1.0, r"\(3,\)"),
        ((tokens, weights, np.ones((3, 3))), 1.0, r"grad has shape \(3, 3\)"),
        ((tokens, weights, tokens), -1.0, "scale"),
    ):
        with pytest.raises(ValueError, match=said):
            stack_gradients(*given, scale, True, True)
