"""Torch: its function with each CPU backend, its layer with and without weights, flex."""

import math

import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention

from research.libraries import reads
from research.libraries.tensors import gradient, layer, on_tensors

SDPA = "F.scaled_dot_product_attention(query, key, value, {})"


def sdpa(query, key, value, attn_mask=None, is_causal=False):
    grouped = query.ndim == 4 and query.shape[1] != key.shape[1]
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=attn_mask, is_causal=is_causal, enable_gqa=grouped
    )


MASKED = SDPA.format("attn_mask=mask, is_causal=False, enable_gqa=True")
reads("scaled_dot_product_attention", MASKED, gradient)(on_tensors(sdpa))
for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):

    def forced(query, key, value, attn_mask=None, is_causal=False, backend=backend):
        with sdpa_kernel(backend):
            return sdpa(query, key, value, attn_mask, is_causal)

    name = f"sdpa_kernel(SDPBackend.{backend.name})"
    reads(f"SDPA, {backend.name}", f"with {name}: {MASKED}", gradient)(on_tensors(forced))


@reads("SDPA, causal_lower_right", SDPA.format("attn_mask=causal_lower_right(n_q, n)"))
@on_tensors
def lower_right(query, key, value, is_causal=False):
    bias = causal_lower_right(query.shape[-2], key.shape[-2]) if is_causal else None
    return F.scaled_dot_product_attention(query, key, value, attn_mask=bias)


@reads("flex_attention", "flex_attention(query, key, value, score_mod=…, enable_gqa=True)")
@on_tensors
def flex(query, key, value, attn_mask=None, is_causal=False):
    def changed(score, b, h, i, j):
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            score = score + attn_mask[i, j]
        elif attn_mask is not None:
            score = torch.where(attn_mask[i, j], score, -math.inf)
        return torch.where(i >= j, score, -math.inf) if is_causal else score

    grouped = query.shape[1] != key.shape[1]
    free = attn_mask is None and not is_causal
    return flex_attention(query, key, value, None if free else changed, enable_gqa=grouped)


for needed in (True, False):
    call = f"MultiheadAttention(d, heads)(query, key, value, attn_mask=mask, need_weights={needed})"

    @reads(f"MultiheadAttention, need_weights={needed}", f"torch.nn.{call}", gradient)
    @layer(lambda width: torch.nn.MultiheadAttention(width, 2, bias=False, batch_first=True))
    def mha(made, query, key, value, attn_mask=None, needed=needed):
        return made(query, key, value, attn_mask=attn_mask, need_weights=needed)[0]
