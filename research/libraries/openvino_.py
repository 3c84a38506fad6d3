"""OpenVINO on the CPU: one operator, compiled for the shapes of a call."""

import openvino as ov
from openvino import opset13

from research.libraries import reads

CORE = ov.Core()
CALL = "opset13.scaled_dot_product_attention(query, key, value, mask, causal=False)"

for hint in ("", "f32"):
    config = {"INFERENCE_NUM_THREADS": 1} | ({"INFERENCE_PRECISION_HINT": hint} if hint else {})

    def attention(query, key, value, attn_mask=None, is_causal=False, config=config):
        if query.ndim != 4:
            raise ValueError("asked with (batch, heads, n, d)")
        fed = [query, key, value]
        if attn_mask is not None:
            fed.append(attn_mask if attn_mask.dtype == bool else attn_mask.astype(query.dtype))
        put = [opset13.parameter(x.shape, x.dtype) for x in fed]
        made = ov.Model([opset13.scaled_dot_product_attention(*put, causal=is_causal)], put)
        return CORE.compile_model(made, "CPU", config)(fed)[0]

    said = f", INFERENCE_PRECISION_HINT={hint}" * bool(hint)
    reads(f"opset13.scaled_dot_product_attention{said}", CALL)(attention)
