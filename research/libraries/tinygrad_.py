"""Tinygrad on the CPU."""

import numpy as np
from tinygrad import Tensor

from research.libraries import reads

CALL = "query.scaled_dot_product_attention(key, value, attn_mask, is_causal=False, enable_gqa=True)"


@reads("Tensor.scaled_dot_product_attention", CALL)
def attention(query, key, value, attn_mask=None, is_causal=False):
    if query.dtype.name == "bfloat16":
        raise ValueError("NumPy's bfloat16 is no dtype of it")
    q, k, v = map(Tensor, (query, key, value))
    mask = None if attn_mask is None else Tensor(attn_mask)
    grouped = query.ndim == 4 and query.shape[1] != key.shape[1]
    named = {"attn_mask": mask, "is_causal": is_causal, "enable_gqa": grouped}
    return np.asarray(q.scaled_dot_product_attention(k, v, **named).numpy())
