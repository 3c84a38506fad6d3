#!/usr/bin/env bash
# jax 0.10.2 (CPU, Pallas kernels interpreted): three attention kernels in jax.experimental.pallas.ops
# do not divide by the root of d unless told, where jax.nn.dot_product_attention does.
#
# Guess, written before the first run, after the signatures were read: all three multiply by one.
# Behaviour: gpu.attention.mha and tpu.flash_attention have sm_scale=1.0 as default, and
# tpu.splash_attention has no scale at all; each agrees with scale=1, and not with the default of
# jax.nn.dot_product_attention.
# Why one expects otherwise: that function, in the same package, divides by default, as do torch's,
# and decode_attention beside them (sm_scale=None).
# Source: the signatures in jax/experimental/pallas/ops/{gpu/attention,tpu/flash_attention}.py, and
# make_splash_mha in tpu/splash_attention.
# Output seen: the three lines below.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy
"$folder/venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.gpu.attention import mha
from jax.experimental.pallas.ops.tpu import splash_attention as splash
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

n, heads, d = 128, 2, 128
x = np.random.default_rng(0).standard_normal((3, 1, n, heads, d)) * 0.3
q, k, v = jnp.asarray(x, jnp.float32)
turned = [a.swapaxes(1, 2) for a in (q, k, v)]
answers = {"gpu.attention.mha": mha(q, k, v, None, interpret=True)}
with pltpu.force_tpu_interpret_mode():
    answers["tpu.flash_attention"] = flash_attention(*turned).swapaxes(1, 2)
mask = splash.splash_attention_mask.MultiHeadMask(
    [splash.splash_attention_mask.FullMask((n, n))] * heads
)
kernel = splash.make_splash_mha(mask, head_shards=1, q_seq_shards=1, interpret=True)
answers["tpu.splash_attention"] = jax.vmap(kernel)(*turned).swapaxes(1, 2)
lines = []
for name, answer in answers.items():
    scales = {"1": 1.0, "1/sqrt(d)": None}
    near = {
        said: bool(jnp.abs(answer - jax.nn.dot_product_attention(q, k, v, scale=scale)).max() < 1e-4)
        for said, scale in scales.items()
    }
    lines.append(f"{name}: " + ", ".join(said for said, yes in near.items() if yes))
print("\n".join(lines))
wanted = ["gpu.attention.mha: 1", "tpu.flash_attention: 1", "tpu.splash_attention: 1"]
raise SystemExit(lines != wanted)
PYTHON
