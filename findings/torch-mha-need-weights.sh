#!/usr/bin/env bash
# torch 2.13.0 (CPU), torch.nn.MultiheadAttention: whether the weights are *returned* decides what
# the *output* is.
#
# Guess before the run: need_weights=True is slower, and the output the same to rounding.
# Behaviour: a query that may attend to nothing is NaN with need_weights=True and zeros without;
# and in bfloat16 two keys whose logits differ by 3.5, beside scores of 70 000, get weights 0.5 and
# 0.5 with need_weights=True, 0.97 and 0.03 without.
# Why one expects otherwise: the documentation of need_weights speaks of what is returned besides,
# and of speed ("set need_weights=False to use the optimized scaled_dot_product_attention").
# Source: torch/nn/functional.py, multi_head_attention_forward: with weights a product, a softmax
# and a product; without them scaled_dot_product_attention.
# Output seen: "empty row nan | 0.0" and "bfloat16 0.50 | 0.97".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import torch

torch.set_num_threads(1)
eye = torch.eye(128)


def layer(dtype):
    """One head whose matrices are the identity: attention itself."""
    made = torch.nn.MultiheadAttention(128, 1, bias=False, batch_first=True)
    with torch.no_grad():
        made.in_proj_weight.copy_(torch.cat([eye] * 3))
        made.out_proj.weight.copy_(eye)
    return made.to(dtype)


def answers(query, key, value, mask=None):
    made = layer(query.dtype)
    with torch.no_grad():
        return [
            made(query, key, value, attn_mask=mask, need_weights=need)[0] for need in (True, False)
        ]


x = torch.ones(1, 2, 128)
hidden = torch.tensor([[True, True], [False, False]])  # the first query sees no key
with_weights, without = (float(y[0, 0, 0]) for y in answers(x, x, x, hidden))
print(f"empty row {with_weights} | {without}")
ok = with_weights != with_weights and without == 0

query = torch.full((1, 1, 128), 80.0, dtype=torch.bfloat16)
key = torch.full((1, 2, 128), 80.0, dtype=torch.bfloat16)
key[0, 0, 0] = 80.5  # the score is larger by 40, the logit by 40/√128 = 3.5
value = torch.zeros(1, 2, 128, dtype=torch.bfloat16)
value[0, 0] = 1  # so the output is the first key's weight, 1/(1 + e^-3.5) = 0.97
with_weights, without = (float(y[0, 0, 0]) for y in answers(query, key, value))
print(f"bfloat16 {with_weights:.2f} | {without:.2f}")
raise SystemExit(not (ok and abs(with_weights - 0.5) < 0.01 and abs(without - 0.97) < 0.01))
PYTHON
