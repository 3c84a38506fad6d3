"""Multi-head attention against JAX and against one head at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attn_helpers as ah

RNG = np.random.default_rng(0)
WIDTH, HEADS, D_V = 12, 3, 5


def layer(size=0.5):
    shapes = ((WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, HEADS * D_V), (HEADS * D_V, 7))
    return ah.attention.Projections(*(size * RNG.normal(size=shape) for shape in shapes))


def oracle(x, context, weights, mask=None, scale=None):
    """Einsum with an axis for the heads, in JAX: no reshape of activations, no transpose."""
    d = WIDTH // HEADS
    wq, wk = (jnp.asarray(w).reshape(WIDTH, HEADS, d) for w in weights[:2])
    wv = jnp.asarray(weights.value).reshape(WIDTH, HEADS, D_V)
    wo = jnp.asarray(weights.output).reshape(HEADS, D_V, -1)
    q = jnp.einsum("...nm,mhd->...hnd", x, wq)
    k = jnp.einsum("...nm,mhd->...hnd", context, wk)
    v = jnp.einsum("...nm,mhd->...hnd", context, wv)
    z = jnp.einsum("...hqd,...hkd->...hqk", q, k) * (d**-0.5 if scale is None else scale)
    z = z if mask is None else jnp.where(mask, z, -jnp.inf)
    return jnp.einsum("...hqk,...hkd,hde->...qe", jax.nn.softmax(z, axis=-1), v, wo)


@pytest.mark.parametrize(("lead", "scale"), [((), None), ((2,), 0.0), ((2, 3), 1.7)])
def test_against_jax(lead, scale):
    weights = layer()
    x, context = RNG.normal(size=(*lead, 4, WIDTH)), RNG.normal(size=(*lead, 6, WIDTH))
    got, p = ah.multi_head_attention(x, context, weights, HEADS, scale=scale, return_weights=True)
    assert (got.shape, p.shape) == ((*lead, 4, 7), (*lead, HEADS, 4, 6))
    np.testing.assert_allclose(got, oracle(x, context, weights, scale=scale), rtol=1e-9)


def test_masks_against_jax():
    weights, x = layer(), RNG.normal(size=(2, 5, WIDTH))
    causal = np.tri(5, dtype=bool)
    expected = oracle(x, x, weights, causal)
    np.testing.assert_allclose(
        ah.multi_head_attention(x, x, weights, HEADS, is_causal=True), expected, rtol=1e-9
    )
    per_head = RNG.random((HEADS, 5, 5)) < 0.6
    per_head |= np.eye(5, dtype=bool)
    got = ah.multi_head_attention(x, x, weights, HEADS, attn_mask=per_head)
    np.testing.assert_allclose(got, oracle(x, x, weights, per_head), rtol=1e-9)


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 5),
    st.lists(st.integers(1, 2), max_size=2),
)
def test_merging_undoes_splitting(heads, d, n, lead):
    x = np.arange(float(np.prod([*lead, n, heads * d]))).reshape(*lead, n, heads * d)
    split = ah.split_heads(x, heads)
    assert split.shape == (*lead, heads, n, d)
    for i in range(heads):
        np.testing.assert_array_equal(split[..., i, :, :], x[..., i * d : (i + 1) * d])
    np.testing.assert_array_equal(ah.merge_heads(split), x)


def test_bad_input():
    weights, x, many = layer(), np.ones((4, WIDTH)), ah.multi_head_attention
    for message, call in {
        r"5 heads do not divide the last axis of \(4, 12\)": lambda: ah.split_heads(x, 5),
        r"at least two axes, got shape \(12,\)": lambda: ah.split_heads(x[0], 3),
        r"at least three axes, got shape \(4, 12\)": lambda: ah.merge_heads(x),
        r"x \(4, 11\) does not fit projections.query \(12, 12\)": lambda: many(
            x[:, :11], x, weights, HEADS
        ),
        "projections.key must be a matrix": lambda: many(
            x, x, weights._replace(key=np.ones(12)), HEADS
        ),
        "four matrices, got 3": lambda: many(x, x, weights[:3], HEADS),
        "need at least two axes": lambda: many(x[0], x, weights, HEADS),
    }.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="heads must be an integer"):
        many(x, x, weights, 3.0)
