#!/usr/bin/env bash
# torch 2.13.0 (CPU), torch.nn.MultiheadAttention with a mask and is_causal=True: need_weights
# decides which of the two hides, and so does a padding that hides nothing.
#
# One would guess (written after the first two rows were told): both hide. Guess before the run, of
# the third row: without weights key 1 is seen all the same; of the last, two queries over five
# keys and a mask that is causal from the lower right: without weights the first query sees one,
# with weights four. Of padding, guessed after the source was read: the mask alone hides.
# Behaviour: with need_weights=False causal alone hides, from the upper left, and the mask is not
# looked at; with need_weights=True, or with a key_padding_mask, the mask alone hides.
# Why one expects otherwise: the layer's documentation says that is_causal "applies a causal mask",
# that of the function it calls adds "and ignores attn_mask", and need_weights decides what is
# returned. Both warn that is_causal is a hint that attn_mask is the causal mask, and that a wrong
# hint may give a wrong result: only the mask of the last row is a causal one.
# Source: torch/nn/functional.py, multi_head_attention_forward: without weights and padding
# is_causal sets attn_mask = None; with padding is_causal = False; with weights it hides nothing.
# Output seen (the keys that each query sees: without weights | with | without, and padding): the
# four rows at the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import torch

torch.set_num_threads(1)
width = 5
layer = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True)
with torch.no_grad():  # matrices that are the identity: attention itself
    layer.in_proj_weight.copy_(torch.cat([torch.eye(width)] * 3))
    layer.out_proj.weight.copy_(torch.eye(width))


def seen(mask, need, padded=False):
    """Return the keys, counted from 1, that each query sees, of a mask (n_q, n)."""
    n_q, n = mask.shape
    q, k, v = torch.zeros(1, n_q, width), torch.zeros(1, n, width), torch.eye(n, width)[None]
    padding = torch.zeros_like(mask[:1]) if padded else None  # hides nothing
    named = {"attn_mask": mask, "is_causal": True, "need_weights": need}
    with torch.no_grad():
        weights = layer(q, k, v, padding, **named)[0][0]  # (n_q, width): values are unit vectors
    return " ".join("".join(str(1 + int(j)) for j in row.nonzero()) for row in weights)


visible = torch.zeros(3, 3, dtype=torch.bool)  # True is removed
masks = {
    "all visible": visible,
    "zeros": visible.float(),
    "key 1 hidden": visible | torch.tensor([True, False, False]),
    "lower right": ~torch.ones(2, 5, dtype=torch.bool).tril(3),
}
asked = ((False, False), (True, False), (False, True))  # weights, padding
rows = [f"{name}: {' | '.join(seen(mask, *x) for x in asked)}" for name, mask in masks.items()]
print("\n".join(rows))
wanted = [
    "all visible: 1 12 123 | 123 123 123 | 123 123 123",
    "zeros: 1 12 123 | 123 123 123 | 123 123 123",
    "key 1 hidden: 1 12 123 | 23 23 23 | 23 23 23",
    "lower right: 1 12 | 1234 12345 | 1234 12345",
]
raise SystemExit(rows != wanted)
PYTHON
