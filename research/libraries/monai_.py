"""MONAI's layer of two inputs."""

import torch
from monai.networks.blocks.crossattention import CrossAttentionBlock

from research.libraries import reads
from research.libraries.tensors import Part, gradient, layer


def make(width):
    made = CrossAttentionBlock(width, 2, context_input_size=width)
    made.to_k, made.to_v = Part(width), Part(width, 1)
    return made


@reads("CrossAttentionBlock", "CrossAttentionBlock(d, heads)(x, context=context)", gradient)
@layer(make)
def attention(made, query, key, value):
    return made(query, context=torch.cat([key, value], -1))
