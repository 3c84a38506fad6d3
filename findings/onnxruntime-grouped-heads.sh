#!/usr/bin/env bash
# onnxruntime 1.23.0 and 1.24.1 (CPU), operator Attention (opset 23): the same model file takes
# other heads for four query heads over two key heads.
#
# Guess before the run: query heads 0 and 1 share key head 0 in both, as ONNX's text says.
# Behaviour: in 1.23.0 query heads 0 and 2 share key head 0, in 1.24.1 query heads 0 and 1.
# Why one expects otherwise: a model file names its operator's version so that it keeps its meaning.
# Source: onnxruntime/core/providers/cpu/llm/attention.cc; the text of the operator in ONNX.
# Output seen: "1.23.0 0 1 0 1" and "1.24.1 0 0 1 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cd "$folder"
venv/bin/pip install --quiet onnx==1.19.0 onnxruntime==1.23.0 numpy
venv/bin/python - <<'PYTHON'
import onnx
from onnx import TensorProto, helper

shapes = {"Q": [1, 4, 1, 8], "K": [1, 2, 1, 8], "V": [1, 2, 1, 8]}
inputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, y) for x, y in shapes.items()]
out = helper.make_tensor_value_info("Y", TensorProto.FLOAT, [1, 4, 1, 8])
graph = helper.make_graph([helper.make_node("Attention", list("QKV"), ["Y"])], "g", inputs, [out])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
onnx.checker.check_model(model)
onnx.save(model, "attention.onnx")
PYTHON
heads() {
    venv/bin/python - <<'PYTHON'
import numpy as np
import onnxruntime as ort

session = ort.InferenceSession("attention.onnx", providers=["CPUExecutionProvider"])
value = np.arange(2, dtype=np.float32).reshape(1, 2, 1, 1) * np.ones((1, 2, 1, 8), np.float32)
fed = {"Q": np.zeros((1, 4, 1, 8), np.float32), "K": np.zeros_like(value), "V": value}
print(ort.__version__, *(int(x) for x in session.run(None, fed)[0][0, :, 0, 0]))
PYTHON
}
heads | tee seen
venv/bin/pip install --quiet onnxruntime==1.24.1
heads | tee -a seen
diff seen - <<'SEEN'
1.23.0 0 1 0 1
1.24.1 0 0 1 1
SEEN
