"""Haliax: named axes."""

import haliax as hax
import jax

from research.libraries import reads


@reads(
    "nn.attention.dot_product_attention",
    'dot_product_attention("keys", "d", query, key, value, mask=mask, bias=bias)',
    jax.grad,
)
def attention(query, key, value, attn_mask=None):
    q, k, v = (
        hax.named(x, ("batch", "heads", name, "d"))
        for x, name in zip((query, key, value), ("queries", "keys", "keys"), strict=True)
    )
    name = "mask" if attn_mask is not None and attn_mask.dtype == bool else "bias"
    named = {} if attn_mask is None else {name: hax.named(attn_mask, ("queries", "keys"))}
    found = hax.nn.attention.dot_product_attention("keys", "d", q, k, v, **named)
    return found.rearrange(("batch", "heads", "queries", "d")).array
