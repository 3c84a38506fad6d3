"""Segment Anything's layer."""

from segment_anything.modeling.transformer import Attention

from research.libraries import reads
from research.libraries.tensors import gradient, layer


@reads("Attention", "segment_anything.modeling.transformer.Attention(d, heads)(q, k, v)", gradient)
@layer(lambda width: Attention(width, 2))
def attention(made, query, key, value):
    return made(query, key, value)
