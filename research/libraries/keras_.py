"""Keras: the function and the layers, on the backend that is set."""

import ml_dtypes
import numpy as np
from keras import layers, ops

from research.libraries import by_row, reads


def array(x):
    """Return a tensor as an array of its own dtype."""
    found = ops.convert_to_numpy(ops.cast(x, "float32") if "bfloat16" in str(x.dtype) else x)
    return found.astype(ml_dtypes.bfloat16) if "bfloat16" in str(x.dtype) else found


def given(*arrays):
    dtype = str(arrays[0].dtype)
    wide = (x.astype(np.float32) if dtype == "bfloat16" else x for x in arrays)
    return [ops.cast(ops.convert_to_tensor(x), dtype) for x in wide]


CALL = "keras.ops.dot_product_attention(query, key, value, bias, mask, is_causal=False)"


@reads("ops.dot_product_attention", CALL)
def function(query, key, value, attn_mask=None, is_causal=False):
    name = "mask" if attn_mask is not None and attn_mask.dtype == bool else "bias"
    named = {} if attn_mask is None else {name: ops.convert_to_tensor(attn_mask[None, None])}
    three = given(query, key, value)
    return array(ops.dot_product_attention(*three, is_causal=is_causal, **named))


def only_tokens(query):
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")


for options in ({}, {"use_scale": True}):
    said = ", ".join(f"{name}={value}" for name, value in options.items())
    call = f"keras.layers.Attention({said})([query, value, key], mask=[None, padding])"

    @reads(f"layers.Attention({said})", call)
    def attention(query, key, value, attn_mask=None, is_causal=False, options=options):
        only_tokens(query)
        shape, dtype = query.shape, str(query.dtype)
        query, key, value = given(*by_row(query, key, value, attn_mask))
        mask = None if attn_mask is None else [None, ops.convert_to_tensor(attn_mask)]
        made = layers.Attention(**options, dtype=dtype)
        found = made([query, value, key], mask=mask, use_causal_mask=is_causal)
        return array(found).reshape(shape[:2] + found.shape[2:])


for asked in (False, True):
    call = "keras.layers.MultiHeadAttention(heads, d)(query, value, key, attention_mask=mask"
    said = ", return_attention_scores=True" * asked

    @reads(f"layers.MultiHeadAttention{said}", f"{call}{said})")
    def mha(query, key, value, attn_mask=None, is_causal=False, asked=asked):
        only_tokens(query)
        d = query.shape[-1]
        made = layers.MultiHeadAttention(1, d, use_bias=False, dtype=str(query.dtype))
        query, key, value = given(query, key, value)
        made.build(query.shape, value.shape, key.shape)
        made.set_weights([np.eye(d).reshape(x.shape) for x in made.get_weights()])
        mask = None if attn_mask is None else ops.convert_to_tensor(attn_mask[None])
        named = {"attention_mask": mask, "use_causal_mask": is_causal}
        found = made(query, value, key, **named, return_attention_scores=asked)
        return array(found[0] if asked else found)
