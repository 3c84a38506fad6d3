#!/usr/bin/env bash
# jax 0.10.2 (CPU), jax.nn.dot_product_attention: a sequence of length zero attends to all its
# padding.
#
# Guess before the run: zeros, as a padded query gives in the same call.
# Behaviour: with key_value_seq_lengths=0 the output is the mean of all values, padding included;
# with query_seq_lengths=1 the second query, which is padding, gives zeros.
# Why one expects otherwise: the documentation says that lengths give the number of keys to attend
# to, and both lengths are read as masks in one place.
# Source: jax/_src/nn/functions.py: _apply_masks hides with a finite number, so a row that is hidden
# everywhere is even; padded queries are set to zero after the product.
# Output seen: "2 keys 1.5, no keys 2.0, padded query 0.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp

query, key = jnp.zeros((1, 2, 1, 8)), jnp.zeros((1, 3, 1, 8))  # (batch, n, heads, d)
value = jnp.arange(1.0, 4.0).reshape(1, 3, 1, 1) * jnp.ones((1, 3, 1, 8))


def answer(**lengths):
    named = {name: jnp.array([length]) for name, length in lengths.items()}
    return jax.nn.dot_product_attention(query, key, value, **named)[0, :, 0, 0]


two, none = (float(answer(key_value_seq_lengths=n)[0]) for n in (2, 0))
padded = float(answer(query_seq_lengths=1)[1])
print(f"2 keys {two}, no keys {none}, padded query {padded}")
raise SystemExit((two, none, padded) != (1.5, 2.0, 0.0))
PYTHON
