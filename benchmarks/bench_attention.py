"""Attention against JAX's compiled one, and PyTorch's if it is installed, in float32."""

from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np

from attn_helpers import scaled_dot_product_attention
from benchmarks.timing import Target, compare

HEADS = 8
SIZES = [(512, 64)] + [(n, d) for n in (8, 64, 256, 1024) for d in (4, 64, 512)]


@jax.jit
def _jax_attention(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
    logits = query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5
    return jax.nn.softmax(logits) @ value


def run() -> list[str]:
    missed, rng = [], np.random.default_rng(0)
    for n, d in SIZES:
        arrays = [rng.normal(size=(HEADS, n, d)).astype(np.float32) for _ in range(3)]
        device = [jnp.asarray(a) for a in arrays]
        difference = scaled_dot_product_attention(*arrays) - _jax_attention(*device)
        assert np.abs(difference).max() < 1e-4, "the contenders compute different things"
        contenders = {
            "ours": lambda a=arrays: scaled_dot_product_attention(*a),
            "jax": lambda a=device: _jax_attention(*a).block_until_ready(),
        }
        if find_spec("torch"):
            import torch

            torch.set_num_threads(1)
            torchs = torch.nn.functional.scaled_dot_product_attention
            tensors = [torch.from_numpy(a)[None] for a in arrays]
            contenders["torch"] = lambda t=tensors, f=torchs: f(*t)
        case = f"attention {HEADS} heads n={n} d={d}"
        missed += compare(case, contenders, [Target("jax", 1.5)])
    return missed
