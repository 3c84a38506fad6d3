"""JAX: a boolean mask is `mask`, one to add is `bias`."""

import jax

from research.libraries import reads


@reads(
    "dot_product_attention",
    "jax.nn.dot_product_attention(query, key, value, bias, mask, is_causal=False)",
    jax.grad,
)
def attention(query, key, value, attn_mask=None, is_causal=False):
    name = "mask" if attn_mask is not None and attn_mask.dtype == bool else "bias"
    named = {} if attn_mask is None else {name: attn_mask[None, None]}
    return jax.nn.dot_product_attention(query, key, value, is_causal=is_causal, **named)
