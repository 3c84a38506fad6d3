"""Flax, linen and nnx: the functions, and linen's layer."""

import jax
import numpy as np
from flax import linen, nnx

from research.libraries import reads

CALL = "dot_product_attention(query, key, value, bias, mask)"


def masked(attn_mask):
    """A boolean mask is `mask`, one to add is `bias`, both (batch, heads, n_q, n)."""
    name = "mask" if attn_mask is not None and attn_mask.dtype == bool else "bias"
    return {} if attn_mask is None else {name: attn_mask[None, None]}


@reads("linen.dot_product_attention", f"flax.linen.{CALL}", jax.grad)
def in_linen(query, key, value, attn_mask=None):
    return linen.dot_product_attention(query, key, value, **masked(attn_mask))


@reads("nnx.dot_product_attention", f"flax.nnx.{CALL}", jax.grad)
def in_nnx(query, key, value, attn_mask=None, is_causal=False):
    return nnx.dot_product_attention(query, key, value, **masked(attn_mask), is_causal=is_causal)


@reads(
    "linen.MultiHeadDotProductAttention",
    "flax.linen.MultiHeadDotProductAttention(heads)(query, key, value, mask=mask)",
    jax.grad,
)
def layer(query, key, value, attn_mask=None):
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")
    eye = np.eye(query.shape[-1], dtype=query.dtype)
    made = linen.MultiHeadDotProductAttention(1, use_bias=False, dtype=query.dtype)
    kernels = {name: {"kernel": eye[:, None]} for name in ("query", "key", "value")}
    kernels["out"] = {"kernel": eye[None]}
    named = {} if attn_mask is None else {"mask": attn_mask[None, None]}
    return made.apply({"params": kernels}, query, key, value, **named)
