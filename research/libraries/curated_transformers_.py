"""Curated Transformers: a mask is an object of its own."""

import torch
from curated_transformers.layers.attention import AttentionMask, ScaledDotProductAttention

from research.libraries import reads
from research.libraries.tensors import gradient, on_tensors

CALL = "ScaledDotProductAttention(…)(query=query, …, attention_mask=AttentionMask(mask), …)"


@reads("ScaledDotProductAttention", CALL, gradient)
@on_tensors
def attention(query, key, value, attn_mask=None, is_causal=False):
    if attn_mask is None:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
    made = ScaledDotProductAttention(dropout_prob=0.0, linear_biases=None)
    mask = AttentionMask(attn_mask[None, None])
    named = {"query": query, "key": key, "value": value, "attention_mask": mask}
    return made(**named, use_causal_mask=is_causal)
