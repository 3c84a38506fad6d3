#!/usr/bin/env bash
# onnxruntime 1.32.0 (CPU), com.microsoft.MultiHeadAttention with unidirectional=1: two queries over
# five keys are aligned neither at the first key nor at the last.
#
# One would guess (written after the audit had shown it): the first query sees key 1, the second keys 1 and 2 (as the operator
# Attention of the same runtime), or four and five of them (as decoding with a cache wants).
# Behaviour: the first query sees one key, the second all five.
# Why one expects otherwise: each further query sees one key more, in either alignment.
# Source: onnxruntime/contrib_ops/cpu/bert/attention_helper.h, PrepareMask.
# Output seen: "1.00 0.00 0.00 0.00 0.00" and "0.20 0.20 0.20 0.20 0.20".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

shapes = {"Q": [1, 2, 8], "K": [1, 5, 8], "V": [1, 5, 8]}
inputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, y) for x, y in shapes.items()]
out = helper.make_tensor_value_info("Y", TensorProto.FLOAT, [1, 2, 8])
named = {"domain": "com.microsoft", "num_heads": 1, "unidirectional": 1}
node = helper.make_node("MultiHeadAttention", list("QKV"), ["Y"], **named)
opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
graph = helper.make_graph([node], "g", inputs, [out])
model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
fed = {x: np.zeros(y, np.float32) for x, y in shapes.items()}
fed["V"][0] = np.eye(5, 8)  # so the output is the weights
weights = session.run(None, fed)[0][0, :, :5]
rows = [" ".join(f"{w:.2f}" for w in row) for row in weights]
print("\n".join(rows))
raise SystemExit(rows != ["1.00 0.00 0.00 0.00 0.00", "0.20 0.20 0.20 0.20 0.20"])
PYTHON
