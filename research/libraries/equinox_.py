"""Equinox: its layer, one head."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp

from research.libraries import reads


@cache
def made(d, dtype):
    layer = eqx.nn.MultiheadAttention(1, d, key=jax.random.key(0))
    return jax.tree.map(lambda x: jnp.eye(d, dtype=dtype) if eqx.is_array(x) else x, layer)


@reads(
    "MultiheadAttention",
    "equinox.nn.MultiheadAttention(heads, d, key=…)(query, key, value, mask=mask)",
    jax.grad,
)
def attention(query, key, value, attn_mask=None):
    if query.ndim != 2:
        raise ValueError("it takes (n, d)")
    query, key, value = map(jnp.asarray, (query, key, value))
    mask = None if attn_mask is None else jnp.asarray(attn_mask)
    return made(query.shape[-1], query.dtype)(query, key, value, mask=mask)
