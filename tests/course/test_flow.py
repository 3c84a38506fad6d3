"""Gradients in one layer: against the package's own backward pass, JAX, and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import gmean

from attn_helpers import scaled_dot_product_attention_vjp
from why_sqrt_d.ch4.experiment import run_curve, run_rules
from why_sqrt_d.ch4.flow import flow_gradients, measure_flow, random_layer, spread
from why_sqrt_d.ch4.stored_runs import ratio_table
from why_sqrt_d.experiments import stored

RNG = np.random.default_rng(0)


def arrays(lead=(2,), n_q=3, n=4, d=5, d_v=6):
    shapes = ((*lead, n_q, d), (*lead, n, d), (*lead, n, d_v), (*lead, n_q, d_v))
    return [RNG.normal(size=shape) for shape in shapes]


@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0, 5.0])
def test_agrees_with_the_backward_pass(scale):
    q, k, v, g = arrays()
    found = flow_gradients(q, k, v, g, scale)
    expected = scaled_dot_product_attention_vjp(q, k, v, g, scale=scale)
    for got, want in zip(found[1:], expected, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-12)


def test_gradient_to_the_logits_agrees_with_jax():
    q, k, v, g = arrays(lead=())

    def loss(logits):
        return jnp.sum(g * (jax.nn.softmax(logits, axis=-1) @ v))

    expected = jax.grad(loss)(jnp.asarray(0.7 * q @ k.T))
    np.testing.assert_allclose(flow_gradients(q, k, v, g, 0.7).logits, expected, atol=1e-12)


def test_a_frozen_row_keeps_the_digits_that_the_formula_loses():
    """With weights 1 and e^-60 the gradient is ± e^-60 · 2; p (g - Σpg) gives rounding only."""
    query, key, value = np.array([[1.0]]), np.array([[60.0], [0.0]]), np.array([[3.0], [1.0]])
    found = flow_gradients(query, key, value, np.array([[1.0]]), 1.0).logits
    tiny = 2 * np.exp(-60)
    np.testing.assert_allclose(found, [[tiny, -tiny]], rtol=1e-12)


def test_the_layer_is_what_it_says():
    layer = random_layer(64, 4, 4000, np.random.default_rng(1))
    for array in layer:
        assert array.shape == (1000, 4, 64)
        assert array.mean() == pytest.approx(0, abs=0.05)
        assert array.var() == pytest.approx(1, rel=0.1)
    long = random_layer(4, 50, 10, RNG)
    assert long.query.shape == long.grad.shape == (1, 10, 4)
    assert long.key.shape == long.tokens.shape == (1, 50, 4)


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
    for name, grad in zip(("w_query", "w_key", "w_value"), jax.grad(loss)(matrices), strict=True):
        assert found[name] == pytest.approx(float(jnp.linalg.norm(grad)), rel=1e-10)


def test_the_values_gradient_is_bounded_and_the_bound_is_reached():
    """Proposition 4a.4."""
    q, k, v, g = arrays(lead=(), n_q=7, n=4)
    for scale in (0.0, 1.0, 1e3):
        got = flow_gradients(q, k, v, g, scale).value
        assert np.linalg.norm(got) <= np.sqrt(7) * np.linalg.norm(g)
        assert np.linalg.norm(got, axis=1).sum() <= np.linalg.norm(g, axis=1).sum() + 1e-12
    key = np.zeros((4, 5))
    key[0] = 1000
    equal = np.ones((7, 6))
    edge = flow_gradients(np.ones((7, 5)), key, v, equal, 1.0).value
    assert np.linalg.norm(edge) == pytest.approx(np.sqrt(7) * np.linalg.norm(equal))


def test_spread_in_closed_form():
    found = spread(np.arange(1, 101.0))
    squares = np.arange(1, 101) ** 2
    assert found == pytest.approx(
        {
            "mean": 50.5,
            "median": 50.5,
            "rms": np.sqrt(101 * 201 / 6),
            "low": 5.95,
            "high": 95.05,
            "top_share": squares[95:].sum() / squares.sum(),
        }
    )
    assert spread(np.zeros(5))["top_share"] == 0


def test_one_layer_serves_both_experiments():
    settings = {"d": 4, "n": 4, "seed": 3, "queries": 32}
    rules = run_rules(**settings, powers=[0.5, 0.0])
    curve = run_curve(**settings, stds=[1.0, 2.0])  # d = 4: β = 1/2 and β = 1
    assert curve.items() <= rules.items()


def test_the_table_of_ratios_holds_geometric_means_of_the_stored_layers():
    rows = sorted(stored("gradient_flow"), key=lambda row: (row["d"], row["n"]))
    with_root, without, _ = np.array([row["query_median"] for row in rows]).T
    expected = gmean((without / with_root).reshape(6, 6, 5), axis=2)
    np.testing.assert_allclose(ratio_table(rows, "query_median"), expected)
