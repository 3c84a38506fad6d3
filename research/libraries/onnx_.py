"""ONNX: the reference implementation of the operator Attention, opset 23 and 24."""

import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

from research.libraries import reads

NAMES = {"float16": 10, "bfloat16": 16, "float32": 1, "float64": 11, "bool": 9}


def model(three, mask, opset, **attributes):
    """Return a model of one node, and what it is fed."""
    fed = dict(zip(("Q", "K", "V"), three, strict=True))
    fed |= {} if mask is None else {"M": mask}
    inputs = [helper.make_tensor_value_info(x, NAMES[str(y.dtype)], y.shape) for x, y in fed.items()]
    out = [helper.make_tensor_value_info("Y", NAMES[str(three[0].dtype)], None)]
    node = helper.make_node("Attention", list(fed), ["Y"], **attributes)
    graph = helper.make_graph([node], "attention", inputs, out)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=11), fed


def refuse_all_but_heads(query):
    if query.ndim != 4:
        raise ValueError("it takes (batch, heads, n, d)")


for opset in (23, 24):

    def reference(query, key, value, attn_mask=None, is_causal=False, opset=opset):
        refuse_all_but_heads(query)
        if attn_mask is not None and attn_mask.dtype != bool:
            attn_mask = attn_mask.astype(query.dtype)
        made, fed = model((query, key, value), attn_mask, opset, is_causal=int(is_causal))
        return np.asarray(ReferenceEvaluator(made).run(None, fed)[0])

    reads(f"reference Attention, opset {opset}", "Attention(Q, K, V, attn_mask, is_causal=0)")(
        reference
    )
