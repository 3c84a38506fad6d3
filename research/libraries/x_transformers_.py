"""x-transformers: its function, plain and flash, and its layer with normalised q and k."""

import torch
from x_transformers.attend import Attend
from x_transformers.x_transformers import Attention

from research.libraries import reads
from research.libraries.tensors import gradient, layer, on_tensors

for flash in (False, True):

    def attend(query, key, value, attn_mask=None, is_causal=False, flash=flash):
        name = "mask" if attn_mask is not None and attn_mask.dtype == torch.bool else "attn_bias"
        named = {} if attn_mask is None else {name: attn_mask[None, None]}
        return Attend(causal=is_causal, flash=flash)(query, key, value, **named)[0]

    call = f"Attend(causal=False, flash={flash})(query, key, value, mask=mask, attn_bias=bias)[0]"
    reads(f"Attend, flash={flash}", f"x_transformers.attend.{call}", gradient)(on_tensors(attend))

for options in ({}, {"qk_norm": True}):

    def make(width, options=options):
        made = Attention(width, heads=2, dim_head=width // 2, dim_context=2 * width, **options)
        made.to_k.weight = torch.nn.Parameter(torch.eye(width, 2 * width))
        made.to_v.weight = torch.nn.Parameter(torch.eye(2 * width)[width:])
        return made

    said = ", qk_norm=True" if options else ""
    call = f"Attention(d, heads=heads{said})(x, context=context)"

    @reads("Attention" + said, f"x_transformers.x_transformers.{call}", gradient)
    @layer(make)
    def attention(made, query, key, value):
        return made(query, context=torch.cat([key, value], -1))
