"""ESM's layer, fairseq's: asked for each head's weights it takes a path of its own."""

from esm.multihead_attention import MultiheadAttention

from research.libraries import reads
from research.libraries.tensors import gradient, layer

for asked in (False, True):
    call = f"MultiheadAttention(d, heads)(q, k, v, attn_mask=mask, need_head_weights={asked})"

    @reads(f"MultiheadAttention, need_head_weights={asked}", f"esm.{call}", gradient)
    @layer(lambda width: MultiheadAttention(width, 2))
    def attention(made, query, key, value, attn_mask=None, asked=asked):
        three = (x.transpose(0, 1) for x in (query, key, value))  # (n, batch, width)
        found = made(*three, attn_mask=attn_mask, need_head_weights=asked)[0]
        return found.transpose(0, 1)
