"""Attention against JAX's compiled one, and PyTorch's if it is installed, in float32."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np

from attn_helpers import scaled_dot_product_attention
from benchmarks.interleaved import Timing, time_in_turns
from benchmarks.report import Target

TARGETS = (Target("jax", 1.5),)
HEADS = 8
SIZES = [(512, 64)] + [(n, d) for n in (8, 64, 256, 1024) for d in (4, 64, 512)]


@jax.jit
def _jax_attention(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
    logits = query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5
    return jax.nn.softmax(logits) @ value


def _torch_attention(arrays: list[np.ndarray]) -> dict[str, Callable[[], object]]:
    if find_spec("torch") is None:
        return {}
    import torch

    torch.set_num_threads(1)
    tensors = [torch.from_numpy(a)[None] for a in arrays]
    return {"torch": lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)}


def cases() -> Iterator[tuple[str, dict[str, Timing]]]:
    """Yield the name and the timings of each case."""
    rng = np.random.default_rng(0)
    for n, d in SIZES:
        arrays = [rng.normal(size=(HEADS, n, d)).astype(np.float32) for _ in range(3)]
        device = [jnp.asarray(a) for a in arrays]
        difference = scaled_dot_product_attention(*arrays) - _jax_attention(*device)
        assert np.abs(difference).max() < 1e-4, "the contenders compute different things"
        contenders: dict[str, Callable[[], object]] = {
            "ours": lambda a=arrays: scaled_dot_product_attention(*a),
            "jax": lambda a=device: _jax_attention(*a).block_until_ready(),
        }
        timings = time_in_turns(contenders | _torch_attention(arrays))
        yield f"attention {HEADS} heads n={n} d={d}", timings
