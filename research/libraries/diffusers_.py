"""Diffusers: its layer with each processor, and without the scale."""

import torch
from diffusers.models.attention_processor import Attention, AttnProcessor, AttnProcessor2_0

from research.libraries import reads
from research.libraries.tensors import Part, gradient, layer

for processor in (AttnProcessor, AttnProcessor2_0):
    for scaled in (True, False):

        def make(width, processor=processor, scaled=scaled):
            made = Attention(
                width, heads=2, dim_head=width // 2, scale_qk=scaled, processor=processor()
            )
            made.to_k, made.to_v = Part(width), Part(width, 1)
            return made

        said = f"{processor.__name__}, scale_qk={scaled}"
        call = f"Attention(d, heads=heads, scale_qk={scaled}, processor={processor.__name__}())"

        @reads(f"Attention, {said}", f"{call}(x, context, attention_mask=mask)", gradient)
        @layer(make)
        def attention(made, query, key, value, attn_mask=None):
            mask = None if attn_mask is None else attn_mask[None].repeat(2, 1, 1)
            return made(query, torch.cat([key, value], -1), attention_mask=mask)
