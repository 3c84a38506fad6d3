#!/usr/bin/env bash
# transformers 5.24.0 with torch 2.13.0 (CPU), eager_attention_forward of its Llama: a boolean mask
# hides nothing, its True is added to the logits as the number one.
#
# Guess before the run: True takes part and False is hidden, as in sdpa_attention_forward.
# Behaviour: with the mask [True, False] two equal keys get the weights 0.73 and 0.27 = 1/(1 + e);
# sdpa_attention_forward, which takes the same arguments, gives 1 and 0.
# Why one expects otherwise: the two are exchanged by attn_implementation="eager" or "sdpa", and the
# documentation says that they compute the same. (Models make a mask that fits; who calls the
# functions with a mask of his own, or registers one, does not.)
# Source: src/transformers/models/llama/modeling_llama.py: attn_weights + attention_mask.
# Output seen: "eager 0.731 0.269" and "sdpa 1.000 0.000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.24.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
from types import SimpleNamespace

import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.models.llama.modeling_llama import eager_attention_forward

torch.set_num_threads(1)
module = SimpleNamespace(num_key_value_groups=1, training=False, is_causal=False)
query, key, value = torch.zeros(1, 1, 1, 8), torch.zeros(1, 1, 2, 8), torch.eye(2, 8)[None, None]
mask, found = torch.tensor([[[[True, False]]]]), {}
for name, function in (("eager", eager_attention_forward), ("sdpa", sdpa_attention_forward)):
    out, _ = function(module, query, key, value, mask, scaling=8**-0.5, dropout=0.0)
    found[name] = [float(w) for w in out[0, 0, 0, :2]]
    print(name, *(f"{w:.3f}" for w in found[name]))
raise SystemExit(not (abs(found["eager"][0] - 0.7311) < 1e-3 and found["sdpa"] == [1, 0]))
PYTHON
