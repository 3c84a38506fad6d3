#!/usr/bin/env bash
# flax 0.12.8 with jax 0.10.2 (CPU), linen.MultiHeadDotProductAttention: a mask of 0 and -inf, to be
# added as torch's functions do it, hides what should be seen and shows what should be hidden.
#
# One would guess (written after the audit had shown it): an error, or the mask is added.
# Behaviour: a causal mask of 0 and -inf gives each query the keys after its own alone: what is not
# zero takes part. The weights of four equal keys are 0 1/3 1/3 1/3 for the first query.
# Why one expects otherwise: jax.nn.dot_product_attention refuses a mask of floats (its own masks of
# floats, 0 and 1, are why linen takes them).
# Source: flax/linen/attention.py: where(mask, logits, min), after make_causal_mask in floats.
# Output seen: the four rows below.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet flax==0.12.8 jax==0.10.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import jax.numpy as jnp
from flax import linen

eye = jnp.eye(4)
kernels = {name: {"kernel": eye[:, None]} for name in ("query", "key", "value")}
kernels["out"] = {"kernel": eye[None]}
layer = linen.MultiHeadDotProductAttention(num_heads=1, use_bias=False)
causal = jnp.where(jnp.tri(4, dtype=bool), 0.0, -jnp.inf)  # as torch's functions add it
x, value = jnp.zeros((1, 4, 4)), eye[None]  # so the output is the weights
weights = layer.apply({"params": kernels}, x, x, value, mask=causal[None, None])[0]
rows = [" ".join(f"{w:.2f}" for w in row) for row in weights]
print("\n".join(rows))
seen = ["0.00 0.33 0.33 0.33", "0.00 0.00 0.50 0.50", "0.00 0.00 0.00 1.00"]
raise SystemExit(rows != [*seen, "0.25 0.25 0.25 0.25"])
PYTHON
