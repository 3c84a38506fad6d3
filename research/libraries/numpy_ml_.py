"""numpy-ml: a layer without weights."""

from numpy_ml.neural_nets.layers import DotProductAttention

from research.libraries import reads


@reads("DotProductAttention", "DotProductAttention(scale=True).forward(query, key, value)")
def attention(query, key, value):
    return DotProductAttention().forward(query, key, value)
