"""The layer of FT-Transformer."""

import torch
from rtdl_revisiting_models import MultiheadAttention

from research.libraries import reads
from research.libraries.tensors import Part, gradient, layer


def make(width):
    made = MultiheadAttention(
        d_embedding=width, n_heads=2, dropout=0.0, n_tokens=None,
        linformer_kv_compression_ratio=None, linformer_kv_compression_sharing=None,
    )  # fmt: skip
    made.W_k, made.W_v = Part(width), Part(width, 1)
    return made


@reads("MultiheadAttention", "MultiheadAttention(d_embedding=d, n_heads=heads, …)(x, x)", gradient)
@layer(make)
def attention(made, query, key, value):
    return made(query, torch.cat([key, value], -1))
