#!/usr/bin/env bash
# diffusers 0.42.1 with torch 2.13.0 (CPU), models.attention_processor.Attention: scale_qk=False
# is obeyed by one attention processor and ignored by the other.
#
# Guess before the run: both processors multiply the scores by 1, as the argument says.
# Behaviour: AttnProcessor multiplies by 1, AttnProcessor2_0 by 1/sqrt(d) = 1/8, without a word.
# Why one expects otherwise: the documentation of set_processor and of AttnProcessor2_0 speaks of
# speed and memory, not of another function; scale_qk is an argument of the layer. (A layer made
# without a processor takes the one that obeys.)
# Source: src/diffusers/models/attention_processor.py: AttnProcessor2_0 calls
# F.scaled_dot_product_attention without scale=attn.scale.
# Output seen: "AttnProcessor 1.0000" and "AttnProcessor2_0 0.1250".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 diffusers==0.42.1 transformers==5.24.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import torch
from diffusers.models.attention_processor import Attention, AttnProcessor, AttnProcessor2_0

torch.set_num_threads(1)
d, factors = 64, []
for processor in (AttnProcessor(), AttnProcessor2_0()):
    layer = Attention(query_dim=d, heads=1, dim_head=d, scale_qk=False, processor=processor)
    with torch.no_grad():
        for linear in (layer.to_q, layer.to_k, layer.to_v, layer.to_out[0]):
            linear.weight.copy_(torch.eye(d))
        layer.to_out[0].bias.zero_()
        x = torch.zeros(1, 2, d)  # two tokens, which are queries, keys and values
        x[0, 0, 0] = 1.0  # the first query's scores are 1 and 0
        weight = layer(x)[0, 0, 0]  # the first key's weight: its value is 1, the other's 0
    factors.append(float(torch.log(weight / (1 - weight))))
    print(f"{type(processor).__name__} {factors[-1]:.4f}")
raise SystemExit(not (abs(factors[0] - 1) < 1e-3 and abs(factors[1] - 1 / 8) < 1e-3))
PYTHON
