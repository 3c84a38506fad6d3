"""PyTorch Forecasting: the function of its temporal fusion transformer."""

from pytorch_forecasting.models.temporal_fusion_transformer.sub_modules import (
    ScaledDotProductAttention,
)

from research.libraries import reads
from research.libraries.tensors import gradient, on_tensors

for scaled in (True, False):  # the first is the default

    @reads(
        f"ScaledDotProductAttention, scale={scaled}",
        f"ScaledDotProductAttention(scale={scaled})(query, key, value, mask)",
        gradient,
    )
    @on_tensors
    def attention(query, key, value, attn_mask=None, scaled=scaled):
        mask = None if attn_mask is None else attn_mask[None]
        return ScaledDotProductAttention(scale=scaled)(query, key, value, mask)[0]
