"""Kornia: the attention of LoFTR, (batch, n, heads, d), its mask that of padding."""

import torch
from kornia.feature.loftr.loftr_module.linear_attention import FullAttention

from research.libraries import reads
from research.libraries.tensors import on_tensors


@reads("FullAttention", "FullAttention()(queries, keys, values, q_mask, kv_mask)")
@on_tensors
def attention(query, key, value, attn_mask=None):
    if attn_mask is None:
        return FullAttention()(query, key, value)
    every = torch.ones(1, 1, dtype=torch.bool)
    rows = (
        FullAttention()(query[:, i : i + 1], key, value, every, row[None])
        for i, row in enumerate(attn_mask)
    )
    return torch.cat(list(rows), 1)
