"""Haiku: its layer, one head."""

import haiku as hk
import jax
import numpy as np

from research.libraries import reads


@reads(
    "MultiHeadAttention",
    "haiku.MultiHeadAttention(heads, d, w_init=…)(query, key, value, mask)",
    jax.grad,
)
def attention(query, key, value, attn_mask=None):
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")
    d = query.shape[-1]

    def call(*three):
        eye = hk.initializers.Constant(np.eye(d))
        layer = hk.MultiHeadAttention(1, d, w_init=eye, with_bias=False)
        return layer(*three, None if attn_mask is None else attn_mask[None, None])

    made = hk.transform(call)
    return made.apply(made.init(jax.random.key(0), query, key, value), None, query, key, value)
