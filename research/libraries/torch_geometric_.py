"""PyG: its layer of a graph, in which a mask is a set of edges."""

import torch
from torch_geometric.nn import TransformerConv

from research.libraries import reads
from research.libraries.tensors import Part, gradient, layer


def make(width):
    made = TransformerConv(width, width // 2, heads=2, root_weight=False, bias=False)
    made.lin_key, made.lin_value = Part(width), Part(width, 1)
    return made


@reads("TransformerConv", "TransformerConv(d, d, heads)((x_keys, x_queries), edges)", gradient)
@layer(make)
def attention(made, query, key, value, attn_mask=None):
    if attn_mask is None:
        attn_mask = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool)
    if attn_mask.dtype != torch.bool:
        raise ValueError("an edge is there or not")
    both = torch.cat([key, value], -1)[0], query[0]
    return made(both, attn_mask.nonzero().T.flip(0))[None]
