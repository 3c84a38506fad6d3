"""ONNX Runtime on the CPU: the operator Attention, and one of its own, of two heads."""

import numpy as np
import onnxruntime as ort
from onnx import helper

from research.libraries import by_row, reads
from research.libraries.onnx_ import NAMES, model, refuse_all_but_heads

options = ort.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = 1, 4


def answer(made, fed):
    session = ort.InferenceSession(made.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, fed)[0]


for opset in (23, 24):

    def attention(query, key, value, attn_mask=None, is_causal=False, opset=opset):
        refuse_all_but_heads(query)
        if attn_mask is not None and attn_mask.dtype != bool:
            attn_mask = attn_mask.astype(query.dtype)
        return answer(*model((query, key, value), attn_mask, opset, is_causal=int(is_causal)))

    reads(f"Attention, opset {opset}", "Attention(Q, K, V, attn_mask, is_causal=0)")(attention)


CALL = "com.microsoft.MultiHeadAttention(Q, K, V, '', padding, bias, num_heads, unidirectional=0)"


@reads("com.microsoft.MultiHeadAttention", CALL)
def own(query, key, value, attn_mask=None, is_causal=False):
    if query.ndim != 3:
        raise ValueError("it takes (batch, n, heads · d)")
    fed, (_, n_q, d) = {}, query.shape
    if attn_mask is not None and attn_mask.dtype != bool:
        fed["bias"] = attn_mask[None, None].repeat(2, axis=1).astype(query.dtype)
    elif attn_mask is not None:
        query, key, value = by_row(query, key, value, attn_mask)
        fed["padding"] = attn_mask.astype(np.int32)
    three = (np.concatenate([x, 0 * x], axis=-1) for x in (query, key, value))
    fed |= dict(zip("QKV", three, strict=True))
    kinds = NAMES | {"int32": 6}
    inputs = [helper.make_tensor_value_info(x, kinds[str(y.dtype)], y.shape) for x, y in fed.items()]
    names = ["Q", "K", "V", "", *(x if x in fed else "" for x in ("padding", "bias"))]
    node = helper.make_node(
        "MultiHeadAttention", names, ["Y"], domain="com.microsoft", num_heads=2,
        unidirectional=int(is_causal),
    )  # fmt: skip
    out = [helper.make_tensor_value_info("Y", kinds[str(query.dtype)], None)]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "attention", inputs, out)
    found = answer(helper.make_model(graph, opset_imports=opsets, ir_version=10), fed)
    return found.reshape(1, n_q, -1)[..., :d]
