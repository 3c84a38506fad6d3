#!/usr/bin/env bash
# keras 3.15.1 on torch 2.13.0 (CPU), keras.layers.MultiHeadAttention in float16: a query that may
# see no key attends as if nothing were hidden.
#
# Guess: of float16 on torch it was told before; one would guess the mean of the values, as in
# float32. Guess before the run, of float16 on jax: the mean there, since jax replaces a hidden
# logit.
# Behaviour: keys with the logits 2 and 0, both hidden by attention_mask, get the weights 0.5 and
# 0.5 in float32, and on jax in float16; in float16 on torch 0.881 and 0.119, as without a mask.
# Why one expects otherwise: the documentation says that the mask "prevents attention to certain
# positions", and nothing of the type or the backend.
# Source: keras/src/backend/torch/nn.py, dot_product_attention: the mask becomes 0 and 0.7 · -65500
# (in other types 0.7 · -3.4e38), which torch adds to the logits, where -45856 + 2 and -45856 still
# differ in float32. On jax a where replaces the logits.
# Output seen: "torch: float32 0.881 0.500, float16 0.881 0.881" and
# "jax: float32 0.881 0.500, float16 0.881 0.500" (first weight: nothing hidden, all hidden).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 keras==3.15.1 jax==0.10.2 numpy
cat > "$folder/ask.py" <<'PYTHON'
import keras
import numpy as np


def answer(dtype, hidden):
    """Return the first weight of a query that sees both keys, or with `hidden` none."""
    layer = keras.layers.MultiHeadAttention(1, 4, use_bias=False, dtype=dtype)
    query = np.full((1, 1, 4), 1.0, "float32")
    key = np.zeros((1, 2, 4), "float32")
    key[0, 0] = 1.0  # scores 4 and 0, logits 2 and 0: the weights 0.881 and 0.119
    value = np.eye(2, 4, dtype="float32")[None]
    layer.build(query.shape, value.shape, key.shape)
    layer.set_weights([np.eye(4).reshape(w.shape) for w in layer.get_weights()])
    mask = np.full((1, 1, 2), not hidden)
    found = layer(query, value, key, attention_mask=mask)
    return float(keras.ops.convert_to_numpy(found)[0, 0, 0])


found = [f"{answer(x, False):.3f} {answer(x, True):.3f}" for x in ("float32", "float16")]
name = keras.backend.backend()
print(f"{name}: float32 {found[0]}, float16 {found[1]}")
half = {"torch": "0.881 0.881", "jax": "0.881 0.500"}[name]
raise SystemExit(found != ["0.881 0.500", half])
PYTHON
for backend in torch jax; do
  KERAS_BACKEND=$backend "$folder/venv/bin/python" "$folder/ask.py"
done
