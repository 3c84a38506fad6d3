"""Timm: its layer, fused and not."""

import torch
from timm.layers.attention import Attention

from research.libraries import reads
from research.libraries.tensors import alike, gradient, layer

for fused in (True, False):

    def make(width, fused=fused):
        made = Attention(width, num_heads=2)
        made.qkv, made.fused_attn = torch.nn.Identity(), fused
        return made

    @reads(f"Attention, fused_attn={fused}", "timm.layers.Attention(d)(x, attn_mask)", gradient)
    @layer(make)
    def attention(made, query, key, value, attn_mask=None):
        x = torch.cat([alike(query, key), key, value], -1)
        made.qkv.forward = lambda _: x
        return made(query[:, :1].repeat(1, key.shape[1], 1), attn_mask)[:, : query.shape[1]]
