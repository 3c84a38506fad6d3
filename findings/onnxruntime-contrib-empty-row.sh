#!/usr/bin/env bash
# onnxruntime 1.32.0 (CPU), com.microsoft.MultiHeadAttention: a query all of whose keys are padding
# attends as if none were.
#
# One would guess (written after the audit had shown it): the mean of the values, or zeros as from
# the same runtime's operator Attention. Guess before this script's run: the mean if
# mask_filter_value is -3e38 instead of its default, -10000.
# Behaviour: keys with the logits 2 and 0, both hidden by key_padding_mask, get the weights 0.881
# and 0.119, as without a mask; with mask_filter_value=-3e38 0.5 and 0.5; Attention of opset 23 and
# of 24 gives zeros.
# Why one expects otherwise: the documentation calls mask_filter_value "the value to be filled in
# the attention mask"; had it been filled in for the logits, they would be equal. ONNX's text for
# Attention says zeros.
# Source: onnxruntime/contrib_ops/cpu/bert/attention_helper.h, PrepareMask (read in an older
# version): 0 or the large number, added to the scaled scores; -9998 and -10000 still differ.
# Output seen: "nothing hidden: 0.881, -3e38 0.881, Attention 0.881 0.881" and
# "all hidden: 0.881, -3e38 0.500, Attention 0.000 0.000" (the first key's weight).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

query = np.ones((1, 1, 4), np.float32)
key = np.stack([np.ones(4), np.zeros(4)]).astype(np.float32)[None]  # logits 2 and 0
value = np.eye(2, 4, dtype=np.float32)[None]  # so the output is the weights


def answer(name, mask, opset, domain="", empty=0, **named):
    """Return the first key's weight."""
    fed = {"Q": query, "K": key, "V": value, "mask": mask}
    kinds = {x: helper.np_dtype_to_tensor_dtype(y.dtype) for x, y in fed.items()}
    put = [helper.make_tensor_value_info(x, kinds[x], y.shape) for x, y in fed.items()]
    out = helper.make_tensor_value_info("Y", TensorProto.FLOAT, [1, 1, 4])
    inputs = ["Q", "K", "V", *[""] * empty, "mask"]
    node = helper.make_node(name, inputs, ["Y"], domain=domain, **named)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "g", put, [out])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return float(session.run(None, fed)[0][0, 0, 0])


def asked(shown):
    padding = np.full((1, 2), shown).astype(np.int32)  # 1 takes part
    own = {"mask": padding, "opset": 21, "domain": "com.microsoft", "empty": 1, "num_heads": 1}
    heads = {"mask": np.full((1, 2), shown), "q_num_heads": 1, "kv_num_heads": 1}
    found = [
        answer("MultiHeadAttention", **own),
        answer("MultiHeadAttention", **own, mask_filter_value=-3e38),
        *(answer("Attention", opset=opset, **heads) for opset in (23, 24)),
    ]
    default, large, *standard = (f"{w:.3f}" for w in found)
    return f"{default}, -3e38 {large}, Attention {' '.join(standard)}"


seen = asked(True), asked(False)
print(f"nothing hidden: {seen[0]}\nall hidden: {seen[1]}")
wanted = ("0.881, -3e38 0.881, Attention 0.881 0.881", "0.881, -3e38 0.500, Attention 0.000 0.000")
raise SystemExit(seen != wanted)
PYTHON
