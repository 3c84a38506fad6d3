"""Attention in windows, here one that holds all keys, without rotary positions."""

from local_attention import LocalAttention

from research.libraries import reads
from research.libraries.tensors import alike, gradient, on_tensors

CALL = "LocalAttention(n, use_rotary_pos_emb=False)(query, key, value)"


@reads("LocalAttention", CALL, gradient)
@on_tensors
def attention(query, key, value):
    made = LocalAttention(key.shape[-2], use_rotary_pos_emb=False)
    return made(alike(query, key), key, value)[..., : query.shape[-2], :]
