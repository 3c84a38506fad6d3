#!/usr/bin/env bash
# fair-esm 2.0.0 with torch 2.13.0 (CPU), esm.multihead_attention.MultiheadAttention: to ask for each
# head's weights turns what a boolean mask means.
#
# One would guess (written after the audit had shown it): True is removed in both calls, as in torch.nn.MultiheadAttention.
# Behaviour: with attn_mask = [False, True] the weight of the first of two equal keys is 1; with
# need_head_weights=True it is 0.27: True is added to the logit as the number one, and hides nothing.
# Why one expects otherwise: the docstring of need_head_weights says only that weights are returned.
# Source: esm/multihead_attention.py: the plain call goes to torch's function, which reads a boolean
# mask; the other does attn_weights += attn_mask.
# Output seen: "plain 1.000, with head weights 0.269".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 fair-esm==2.0.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import torch
from esm.multihead_attention import MultiheadAttention

torch.set_num_threads(1)
layer = MultiheadAttention(8, 1).eval()
with torch.no_grad():
    for linear in (layer.q_proj, layer.k_proj, layer.v_proj, layer.out_proj):
        linear.weight.copy_(torch.eye(8))
        linear.bias.zero_()
    query, key, value = torch.zeros(1, 1, 8), torch.zeros(2, 1, 8), torch.zeros(2, 1, 8)
    value[0] = 1.0  # (keys, batch, width): the output is the first key's weight
    mask = torch.tensor([[False, True]])
    plain, weights = (
        float(layer(query, key, value, attn_mask=mask, need_head_weights=asked)[0][0, 0, 0])
        for asked in (False, True)
    )
print(f"plain {plain:.3f}, with head weights {weights:.3f}")
raise SystemExit(not (plain == 1 and abs(weights - 0.2689) < 1e-3))
PYTHON
