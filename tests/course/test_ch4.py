"""Gradients in one layer and in a stack: against JAX, closed forms, and what is drawn."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import gmean
from stored_outputs import from_the_page

from why_sqrt_d.ch4.flow import expected_square, flow_gradients, measure_flow, random_layer
from why_sqrt_d.ch4.stack import draws, random_stack, stack_gradients
from why_sqrt_d.ch4.stored_runs import ratio_table
from why_sqrt_d.rows import stored

RNG = np.random.default_rng(0)


def test_a_frozen_row_keeps_the_digits_that_the_formula_loses():
    """With weights 1 and e^-60 the gradient is ± e^-60 · 2; p (g - Σpg) gives rounding only."""
    query, key, value = np.array([[1.0]]), np.array([[60.0], [0.0]]), np.array([[3.0], [1.0]])
    found = flow_gradients(query, key, value, np.array([[1.0]]), 1.0).logits
    tiny = 2 * np.exp(-60)
    np.testing.assert_allclose(found, [[tiny, -tiny]], rtol=1e-12)


def test_weight_gradients_agree_with_jax():
    """The loss as a function of the three matrices themselves; not every token asks."""
    layer = random_layer(6, 5, 3, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    tokens = rng.standard_normal((1, 5, 6))
    matrices = [jnp.asarray(rng.standard_normal((6, 6)) / np.sqrt(6)) for _ in range(3)]

    def loss(w):
        q, k, v = tokens[:, :3] @ w[0], tokens @ w[1], tokens @ w[2]
        return jnp.sum(layer.grad * (jax.nn.softmax(0.8 * q @ k.swapaxes(-1, -2), axis=-1) @ v))

    found = measure_flow(layer, 0.8)
    [to_query] = flow_gradients(*layer[1:], 0.8).query  # (3, d): the longest is the top
    lengths = np.linalg.norm(to_query, axis=1)
    assert found["query_median"] == pytest.approx(sorted(lengths)[1])
    assert found["query_rms"] == pytest.approx(np.linalg.norm(lengths) / 3**0.5)
    assert found["query_top_share"] == pytest.approx(max(lengths) ** 2 / sum(lengths**2))
    for name, grad in zip(("w_query", "w_key", "w_value"), jax.grad(loss)(matrices), strict=True):
        assert found[name] == pytest.approx(float(jnp.linalg.norm(grad)), rel=1e-10)


def test_the_values_gradient_is_bounded_and_the_bound_is_reached():
    """Proposition 4a.5."""
    q, k, v, g = (RNG.normal(size=shape) for shape in ((7, 5), (4, 5), (4, 6), (7, 6)))
    for scale in (0.0, 1.0, 1e3):
        got = flow_gradients(q, k, v, g, scale).value
        assert np.linalg.norm(got) <= np.sqrt(7) * np.linalg.norm(g)
        assert np.linalg.norm(got, axis=1).sum() <= np.linalg.norm(g, axis=1).sum() + 1e-12
    key = np.zeros((4, 5))
    key[0] = 1000
    equal = np.ones((7, 6))
    edge = flow_gradients(np.ones((7, 5)), key, v, equal, 1.0).value
    assert np.linalg.norm(edge) == pytest.approx(np.sqrt(7) * np.linalg.norm(equal))


def test_the_table_of_ratios_holds_geometric_means_of_the_stored_layers():
    rows = sorted(stored("gradient_flow"), key=lambda row: (row["d"], row["n"]))
    with_root, without, _ = np.array([row["query_median"] for row in rows]).T
    expected = gmean((without / with_root).reshape(6, 6, 5), axis=2)
    np.testing.assert_allclose(ratio_table(rows, "query_median"), expected)


def test_the_mean_square_gradient_is_that_of_given_weights():
    """Proposition 4a.1: tokens, matrices and g are drawn, the weights of one row held fixed."""
    rng, d = np.random.default_rng(9), 6
    p = np.array([0.5, 0.3, 0.2])
    jacobian = np.diag(p) - np.outer(p, p)
    x = rng.standard_normal((60_000, 3, d))
    w_key, w_value = rng.standard_normal((2, 60_000, d, d)) / np.sqrt(d)
    g = rng.standard_normal((60_000, d, 1))
    to_query = 0.4 * (x @ w_key).swapaxes(1, 2) @ (jacobian @ (x @ w_value @ g))
    measured = np.mean((to_query**2).sum(axis=(1, 2)))
    assert expected_square(p, d, 0.4) == pytest.approx(measured, rel=0.03)


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


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0, 4.0])
def test_the_backward_pass_is_the_automatic_one(beta):
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((2, 5, 6))  # tokens, and a gradient at the output
    matrices = rng.standard_normal((3, 6, 6)) / 2

    def loss(w):
        p = jax.nn.softmax(beta * (x @ w[0]) @ (x @ w[1]).T, axis=-1)
        return jnp.sum(g * (p @ (x @ w[2])))

    expected = jax.grad(loss)(jnp.asarray(matrices))
    found = from_the_page("4a-how-long-a-gradient", "backward")(x, *matrices, g, beta)
    np.testing.assert_allclose(np.stack(found), expected, atol=1e-10)
