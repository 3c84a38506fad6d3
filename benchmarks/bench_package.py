"""softmax against SciPy's and attention against JAX's compiled one, in turns on one core."""

import os
import statistics
from collections.abc import Callable
from time import perf_counter

# Read once, when the libraries are loaded: one thread each, or thread pools are compared.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import numpy as np
import scipy.special

import attn_helpers as ah

TURNS = 25


@jax.jit
def _attention(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
    logits = query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5
    return jax.nn.softmax(logits) @ value


def compare(case: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print both medians in µs, and the median of their ratio turn by turn."""
    ours(), theirs()  # compile, allocate, fill caches
    rows = []
    for _ in range(TURNS):
        start = perf_counter()
        ours()
        middle = perf_counter()
        theirs()
        rows.append((middle - start, perf_counter() - middle))
    mine, other = (statistics.median(column) * 1e6 for column in zip(*rows, strict=True))
    ratio = statistics.median(a / b for a, b in rows)
    print(f"{case:32} {mine:9.1f} µs, theirs {other:9.1f} µs, ratio {ratio:.2f}", flush=True)


def main() -> int:
    rng = np.random.default_rng(0)
    for n in (16, 128, 1024):
        x = rng.normal(size=(64, n))
        ours, theirs = (
            lambda f=f, x=x: f(x, axis=-1) for f in (ah.softmax, scipy.special.softmax)
        )
        compare(f"softmax 64 × {n}, SciPy", ours, theirs)
    for n, d in ((64, 64), (512, 64), (1024, 64), (64, 512)):
        given = [rng.normal(size=(8, n, d)).astype(np.float32) for _ in range(3)]
        device = [jax.numpy.asarray(array) for array in given]
        compare(
            f"attention 8 heads, n={n}, d={d}, JAX",
            lambda a=given: ah.scaled_dot_product_attention(*a),
            lambda a=device: _attention(*a).block_until_ready(),
        )
    return 0
