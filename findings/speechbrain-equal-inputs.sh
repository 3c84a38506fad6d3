#!/usr/bin/env bash
# speechbrain 1.1.2 with torch 2.13.0 (CPU), nnet.attention.RelPosMHAXL with two heads: its answer
# depends on whether query, key and value are equal, element by element.
#
# One would guess (written after its code had been read): a change of 1e-6 in the value changes the output by about as much.
# Behaviour: by about as much as the output itself.
# Why one expects otherwise: a linear map, a softmax and a linear map are continuous.
# Source: speechbrain/nnet/attention.py, RelPosMHAXL.forward: if torch.equal finds them the same, the
# rows of in_proj_weight are read as (head, q/k/v, width), else as (q/k/v, head, width).
# Output seen: "the output 0.3, its change 0.3" (standard deviations).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 speechbrain==1.1.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from unittest.mock import MagicMock

import torch

sys.modules["torchaudio"] = MagicMock()  # wants CUDA; it has no part in attention
from speechbrain.nnet.attention import RelPosMHAXL

torch.manual_seed(0)
torch.set_num_threads(1)
layer = RelPosMHAXL(embed_dim=16, num_heads=2, dropout=0.0).eval()
with torch.no_grad():
    x, positions = torch.randn(1, 5, 16), torch.zeros(1, 9, 16)
    same = layer(x, x, x, positions)[0]
    near = layer(x, x, x + 1e-6, positions)[0]
size, change = float(same.std()), float((near - same).std())
print(f"the output {size:.1f}, its change {change:.1f}")
raise SystemExit(not change > size / 4)
PYTHON
