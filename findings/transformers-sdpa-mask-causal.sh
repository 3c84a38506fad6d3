#!/usr/bin/env bash
# transformers 5.24.0 (CPU, torch 2.13.0), sdpa_attention_forward: with a mask, is_causal=True is
# dropped, and every query sees the future. In 4.57.3 the same call hides by both.
#
# Guess before the first run, which was of 5.24.0 alone: both hide, as in torch's function. Guess
# before this script, after 4.57.3 was read: both hide there.
# Behaviour: a padding mask of True (all keys take part) and is_causal=True: in 4.57.3 the first of
# three queries sees one key, in 5.24.0 three. Without the mask is_causal=True hides in both.
# Why one expects otherwise: is_causal is an argument of the function, "we use the is_causal passed
# in kwargs if it is presented" says a comment in it, and torch's function, to which it hands over,
# applies both on a CPU.
# Source: transformers/integrations/sdpa_attention.py: 4.57.3 asks for a mask only if is_causal is
# None; 5.24.0 writes is_causal = q_length > 1 and attention_mask is None and is_causal.
# Output seen: "4.57.3: keys of the first query: 1 without a mask, 1 with" and "5.24.0: … 1 … 3 …".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/ask.py" <<'PYTHON'
import sys
from types import SimpleNamespace

import torch
import transformers
from transformers.integrations.sdpa_attention import sdpa_attention_forward

q, k, v = torch.zeros(1, 1, 3, 8), torch.zeros(1, 1, 3, 8), torch.eye(3, 8)[None, None]
seen = []
for mask in (None, torch.ones(1, 1, 3, 3, dtype=torch.bool)):
    module = SimpleNamespace(is_causal=True, training=False)
    found, _ = sdpa_attention_forward(module, q, k, v, mask, is_causal=True)  # (1, 3, 1, 8)
    seen.append(int((found[0, 0, 0] > 0).sum()))
print(f"{transformers.__version__}: keys of the first query: {seen[0]} without a mask, {seen[1]} with")
raise SystemExit(seen != [1, int(sys.argv[1])])
PYTHON
for wanted in "4.57.3 1" "5.24.0 3"; do
  version=${wanted% *}
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet torch==2.13.0 "transformers==$version" numpy
  "$folder/$version/bin/python" "$folder/ask.py" "${wanted#* }"
done
