"""Gradients in one layer: against the package's own backward pass, JAX, and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_helpers import scaled_dot_product_attention_vjp, softmax, softmax_vjp
from why_sqrt_d.ch4.experiment import run_curve, run_rules
from why_sqrt_d.ch4.flow import (
    flow_at_scales,
    flow_gradients,
    grown_w_query,
    measure_flow,
    random_layer,
    spread,
)

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
    p = softmax(scale * q @ k.swapaxes(-1, -2))
    np.testing.assert_allclose(found.logits, softmax_vjp(p, g @ v.swapaxes(-1, -2)), atol=1e-12)


def test_gradient_to_the_logits_agrees_with_jax():
    q, k, v, g = arrays(lead=())

    def loss(logits):
        return jnp.sum(g * (jax.nn.softmax(logits, axis=-1) @ v))

    expected = jax.grad(loss)(jnp.asarray(0.7 * q @ k.T))
    np.testing.assert_allclose(flow_gradients(q, k, v, g, 0.7).logits, expected, atol=1e-12)


@given(st.floats(0, 100))
def test_every_row_of_the_gradient_to_the_logits_sums_to_zero(scale):
    q, k, v, g = arrays(lead=())
    assert np.abs(flow_gradients(q, k, v, g, scale).logits.sum(axis=-1)).max() < 1e-12


def test_a_frozen_row_keeps_the_digits_that_the_formula_loses():
    """With weights 1 and e^-60 the gradient is ± e^-60 · 2; p (g - Σpg) gives rounding only."""
    value = np.array([[3.0], [1.0]])
    found = flow_gradients([[1.0]], [[60.0], [0.0]], value, [[1.0]], 1.0).logits
    tiny = 2 * np.exp(-60)
    np.testing.assert_allclose(found, [[tiny, -tiny]], rtol=1e-12)


def test_small_scales_give_gradients_in_proportion():
    layer = random_layer(16, 8, 64, RNG)
    one, two = flow_at_scales(layer, [1e-4, 2e-4])["w_query"]
    assert two / one == pytest.approx(2, rel=1e-3)


def test_the_layer_is_what_it_says():
    layer = random_layer(64, 4, 4000, np.random.default_rng(1))
    assert layer.tokens.shape == (1000, 4, 64)
    for array in layer:
        assert array.shape == (1000, 4, 64)
        assert array.mean() == pytest.approx(0, abs=0.05)
        assert array.var() == pytest.approx(1, rel=0.1)
    long = random_layer(4, 50, 10, RNG)
    assert long.query.shape == long.grad.shape == (1, 10, 4)
    assert long.key.shape == long.tokens.shape == (1, 50, 4)
    same = random_layer(4, 3, 6, np.random.default_rng(5))
    again = random_layer(4, 3, 6, np.random.default_rng(5))
    np.testing.assert_array_equal(same.key, again.key)


def test_weight_gradients_agree_with_jax():
    """The loss as a function of the three matrices themselves."""
    rng = np.random.default_rng(2)
    layer = random_layer(6, 5, 10, rng)
    rng = np.random.default_rng(2)
    tokens = rng.standard_normal((2, 5, 6))
    matrices = [rng.standard_normal((6, 6)) / np.sqrt(6) for _ in range(3)]
    np.testing.assert_array_equal(tokens, layer.tokens)

    def loss(w):
        q, k, v = (tokens @ one for one in w)
        return jnp.sum(layer.grad * (jax.nn.softmax(0.8 * q @ k.swapaxes(-1, -2), axis=-1) @ v))

    expected = jax.grad(loss)([jnp.asarray(m) for m in matrices])
    found = measure_flow(layer, 0.8)
    for name, grad in zip(("w_query", "w_key", "w_value"), expected, strict=True):
        assert found[name] == pytest.approx(float(jnp.linalg.norm(grad)), rel=1e-10)

    for growth, grown in zip((1.0, 3.0), grown_w_query(layer, [1.0, 3.0], 0.8), strict=True):
        to_query = jax.grad(loss)([jnp.asarray(growth * m) for m in matrices])[0]
        np.testing.assert_allclose(grown, to_query, rtol=1e-8, atol=1e-10)


def test_the_values_gradient_is_bounded_and_the_bound_is_reached():
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
    found = spread(np.arange(1, 101))
    assert found.mean == 50.5
    assert found.median == 50.5
    assert found.rms == pytest.approx(np.sqrt(101 * 201 / 6))
    squares = np.arange(1, 101) ** 2
    assert found.top_share == pytest.approx(squares[95:].sum() / squares.sum())
    assert (found.low, found.high) == pytest.approx((5.95, 95.05))
    assert spread(np.zeros(5)).top_share == 0


@given(hnp.arrays(np.float64, st.integers(1, 50), elements=st.just(0.0) | st.floats(1e-100, 1e6)))
def test_spread_is_ordered(x):
    found = spread(x)
    assert found.low <= found.median <= found.high
    assert found.mean <= found.rms * (1 + 1e-9)
    assert 0 <= found.top_share <= 1


def test_experiments_repeat_themselves():
    settings = {"d": 4, "n": 4, "seed": 3, "queries": 32}
    one = run_rules(**settings, powers=[0.5, 0.0])
    assert one == run_rules(**settings, powers=[0.5, 0.0])
    assert set(map(len, one.values())) == {2}
    curve = run_curve(**settings, stds=[1.0, 2.0])
    assert curve["w_query"] == one["w_query"]  # d = 4: β = 1/2 and β = 1


def test_bad_values_are_quoted():
    for call, said in (
        (lambda: spread([]), "none"),
        (lambda: spread([1.0], share=0.0), "got 0.0"),
        (lambda: random_layer(0, 1, 1, RNG), "d must be"),
        (lambda: flow_gradients([[1.0]], [[1.0]], [[1.0]], [[1.0]], -1.0), "scale"),
    ):
        with pytest.raises(ValueError, match=said):
            call()
