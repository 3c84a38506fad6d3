"""The layer of vit-pytorch, without its norm."""

import torch
from vit_pytorch.vit import Attention

from research.libraries import reads
from research.libraries.tensors import alike, gradient, layer


def make(width):
    made = Attention(width, heads=2, dim_head=width // 2)
    made.norm = made.to_qkv = torch.nn.Identity()
    return made


@reads("vit.Attention", "vit_pytorch.vit.Attention(d, heads, dim_head)(x)", gradient)
@layer(make)
def attention(made, query, key, value):
    return made(torch.cat([alike(query, key), key, value], -1))[:, : query.shape[1]]
