"""labml's annotated layer."""

from labml_nn.transformers.mha import MultiHeadAttention

from research.libraries import reads
from research.libraries.tensors import gradient, layer

CALL = "MultiHeadAttention(heads, d)(query=query, key=key, value=value, mask=mask)"


@reads("MultiHeadAttention", CALL, gradient)
@layer(lambda width: MultiHeadAttention(2, width, dropout_prob=0.0))
def attention(made, query, key, value, attn_mask=None):
    three = {"query": query, "key": key, "value": value}  # asked as (n, batch, width)
    three = {name: x.transpose(0, 1) for name, x in three.items()}
    mask = None if attn_mask is None else attn_mask[..., None]
    return made(**three, mask=mask).transpose(0, 1)
