#!/usr/bin/env bash
# local-attention 1.11.2 with torch 2.13.0 (CPU), LocalAttention(autopad=True): the zeros that it
# adds to fill the last window are attended to.
#
# One would guess (written after its code had been read): they are masked, and all values of one give an output of one.
# Behaviour: five tokens in windows of four, every value 1: the output is 0.625, because each query
# spends three eighths of its weight on added keys. A mask of five Trues brings it to 1.
# Why one expects otherwise: the padding is the function's own and its user has nothing to mask;
# windows beyond the ends, which it adds as well, are hidden.
# Source: local_attention/local_attention.py: autopad pads q, k, v; only a given mask is padded with
# False, and pad_mask covers the windows beyond the ends alone.
# Output seen: "without a mask 0.625, with a mask of ones 1.000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 local-attention==1.11.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import torch
from local_attention import LocalAttention

torch.set_num_threads(1)
attention = LocalAttention(window_size=4, autopad=True, use_rotary_pos_emb=False)
q = k = torch.zeros(1, 1, 5, 8)
v = torch.ones(1, 1, 5, 8)
plain = float(attention(q, k, v)[0, 0, 0, 0])
masked = float(attention(q, k, v, mask=torch.ones(1, 5, dtype=torch.bool))[0, 0, 0, 0])
print(f"without a mask {plain:.3f}, with a mask of ones {masked:.3f}")
raise SystemExit(not (abs(plain - 0.625) < 1e-6 and abs(masked - 1) < 1e-6))
PYTHON
