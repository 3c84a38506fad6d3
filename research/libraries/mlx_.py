"""MLX on the CPU: its function, which wants a scale, and its layer."""

import ml_dtypes
import mlx.core as mx
import mlx.nn as nn
import numpy as np

from research.libraries import reads

CALL = "mx.fast.scaled_dot_product_attention(query, key, value, scale=d**-0.5, mask=mask)"
mx.set_default_device(mx.cpu)


def arrays(*given):
    """Return arrays of MLX; bfloat16 goes through float32."""
    half = given[0].dtype == ml_dtypes.bfloat16
    made = (mx.array(x.astype(np.float32) if half else x) for x in given)
    return [x.astype(mx.bfloat16) for x in made] if half else list(made)


def back(x):
    half = x.dtype == mx.bfloat16
    return np.array(x.astype(mx.float32)).astype(ml_dtypes.bfloat16) if half else np.array(x)


def masked(attn_mask, dtype):
    if attn_mask is None or attn_mask.dtype == bool:
        return attn_mask if attn_mask is None else mx.array(attn_mask)
    return mx.array(attn_mask).astype(dtype)


@reads("fast.scaled_dot_product_attention", CALL)
def function(query, key, value, attn_mask=None, is_causal=False):
    q, k, v = arrays(query, key, value)
    mask = "causal" if is_causal else masked(attn_mask, q.dtype)
    return back(
        mx.fast.scaled_dot_product_attention(q, k, v, scale=query.shape[-1] ** -0.5, mask=mask)
    )


@reads("nn.MultiHeadAttention", "mlx.nn.MultiHeadAttention(d, heads)(query, key, value, mask)")
def layer(query, key, value, attn_mask=None):
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")
    q, k, v = arrays(query, key, value)
    made = nn.MultiHeadAttention(query.shape[-1], 1)
    eye = mx.eye(query.shape[-1]).astype(q.dtype)
    for name in ("query_proj", "key_proj", "value_proj", "out_proj"):
        getattr(made, name).weight = eye
    return back(made(q, k, v, masked(attn_mask, q.dtype)))
