#!/usr/bin/env bash
# keras 3.15.1 on jax 0.10.2 (CPU), keras.layers.MultiHeadAttention: a query that may attend to
# nothing is the mean of all values, and zeros if the weights are returned as well.
#
# Guess before the run: the output does not depend on return_attention_scores.
# Behaviour: attention_mask all False gives the mean of the values, 0.5; the same call with
# return_attention_scores=True gives 0.
# Why one expects otherwise: the argument's documentation says what is returned besides the output.
# Source: keras/src/layers/attention/multi_head_attention.py: with scores a softmax layer, which
# hides and then multiplies by the mask; without them ops.dot_product_attention.
# Output seen: "without scores 0.5, with scores 0.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet keras==3.15.1 jax==0.10.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=8, use_bias=False)
x = np.zeros((1, 2, 8), "float32")
value = np.zeros((1, 2, 8), "float32")
value[0, 0] = 1.0  # the mean of the two values is 0.5
layer.build(x.shape, value.shape, x.shape)
layer.set_weights([np.eye(8).reshape(w.shape) for w in layer.get_weights()])
hidden = np.array([[[False, False], [True, True]]])  # the first query sees no key
plain = float(layer(x, value, x, attention_mask=hidden)[0, 0, 0])
y, _ = layer(x, value, x, attention_mask=hidden, return_attention_scores=True)
print(f"without scores {plain}, with scores {float(y[0, 0, 0])}")
raise SystemExit(not (abs(plain - 0.5) < 1e-6 and float(y[0, 0, 0]) == 0))
PYTHON
