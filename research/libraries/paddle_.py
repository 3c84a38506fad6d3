"""Paddle on the CPU."""

import paddle
from paddle.nn import functional as F

from research.libraries import reads

CALL = "F.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=False)"


@reads("nn.functional.scaled_dot_product_attention", CALL)
def attention(query, key, value, attn_mask=None, is_causal=False):
    if query.ndim != 4:
        raise ValueError("asked with (batch, n, heads, d)")
    if query.dtype.name == "bfloat16":
        raise ValueError("asked with NumPy's own dtypes")
    three = map(paddle.to_tensor, (query, key, value))
    mask = None
    if attn_mask is not None:
        kept = attn_mask if attn_mask.dtype == bool else attn_mask.astype(query.dtype)
        mask = paddle.to_tensor(kept[None, None])
    return F.scaled_dot_product_attention(*three, attn_mask=mask, is_causal=is_causal).numpy()
