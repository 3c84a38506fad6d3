"""softmax against SciPy's, and JAX's compiled one for information."""

from collections.abc import Iterator

import jax
import numpy as np
import scipy.special

from attn_helpers import softmax
from benchmarks.interleaved import Timing, time_in_turns
from benchmarks.report import Target

TARGETS = (Target("scipy", 1.0),)
SHAPES = [(8, 512, 512)] + [
    (rows, n) for rows in (1, 8, 64, 512) for n in (8, 16, 32, 64, 128, 256, 512, 1024)
]


def cases() -> Iterator[tuple[str, dict[str, Timing]]]:
    """Yield the name and the timings of each case."""
    rng = np.random.default_rng(0)
    jax_softmax = jax.jit(jax.nn.softmax)
    for dtype in (np.float32, np.float64):
        for shape in SHAPES:
            x = rng.normal(size=shape).astype(dtype)
            device = jax.numpy.asarray(x)
            assert device.dtype == x.dtype
            timings = time_in_turns(
                {
                    "ours": lambda x=x: softmax(x),
                    "scipy": lambda x=x: scipy.special.softmax(x, axis=-1),
                    "jax": lambda x=device: jax_softmax(x).block_until_ready(),
                }
            )
            yield f"softmax {shape} {np.dtype(dtype)}", timings
