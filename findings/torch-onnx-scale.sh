#!/usr/bin/env bash
# torch 2.13.0 (CPU), onnx 1.19.1, onnxscript 0.7.2: torch.onnx.export of
# scaled_dot_product_attention, and where the scale stands in the graph.
#
# Guess before the first run: one factor, 1/√d = 0.125 at d = 64, on the scores, as in the
# documentation's formula. Before the second, when that had come out otherwise: a negative scale,
# which the function takes, makes export raise an error, since its root is asked for.
# Behaviour: at opset 18 no constant of the graph is 0.125. Queries and keys are multiplied by
# 64^(-1/4) = 0.354 each, so whoever looks for a model's scale finds its root, twice. With a scale
# of -0.125 the export is silent, and the graph gives NaN where torch gives numbers. At opset 23
# both are one operator, Attention, whose scale is what was given.
# Why one expects otherwise: the documentation's formula is query @ key.T * scale_factor.
# Source: onnxscript/function_libs/torch_lib/ops/nn.py, the functions for
# scaled_dot_product_attention: scale = sqrt(scale), Mul on the query and on the key.
# Output seen: "scale None: factors [0.354, 0.354], differs by less than 1e-5: True" and
# "scale -0.125: factors [nan, nan], differs by less than 1e-5: False".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 onnx==1.19.1 onnxscript==0.7.2 numpy
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import onnx
import torch
from onnx.numpy_helper import to_array
from onnx.reference import ReferenceEvaluator


class Attend(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=self.scale)


torch.manual_seed(0)
given = {name: torch.randn(1, 2, 5, 64) for name in "qkv"}


def exported(scale):
    """Return the factors in the graph, and whether it computes what torch does."""
    layer = Attend(scale).eval()
    torch.onnx.export(layer, tuple(given.values()), "layer.onnx", opset_version=18, verbose=False)
    model = onnx.load("layer.onnx")
    fixed = {x.name: to_array(x) for x in model.graph.initializer}
    factors = [
        round(float(fixed[name].ravel()[0]), 3)
        for node in model.graph.node
        for name in node.input
        if node.op_type == "Mul" and name in fixed
    ]
    told = ReferenceEvaluator(model).run(None, {n: x.numpy() for n, x in given.items()})[0]
    same = bool(abs(torch.tensor(told) - layer(*given.values())).max() < 1e-5)
    print(f"scale {scale}: factors {factors}, differs by less than 1e-5: {same}")
    return factors, same


ok = exported(None) == ([0.354, 0.354], True)
factors, same = exported(-0.125)
raise SystemExit(not (ok and factors[0] != factors[0] and not same))
PYTHON
