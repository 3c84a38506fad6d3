"""softmax against SciPy's, and JAX's compiled one for information."""

import jax
import numpy as np
import scipy.special

from attn_helpers import softmax
from benchmarks.timing import Target, compare

SHAPES = [(8, 512, 512)] + [(64, n) for n in (8, 16, 32, 64, 128, 256, 512, 1024)]


def run() -> list[str]:
    missed, rng, jax_softmax = [], np.random.default_rng(0), jax.jit(jax.nn.softmax)
    for dtype in (np.float32, np.float64):
        for shape in SHAPES:
            x = rng.normal(size=shape).astype(dtype)
            device = jax.numpy.asarray(x)
            assert device.dtype == x.dtype
            contenders = {
                "ours": lambda x=x: softmax(x),
                "scipy": lambda x=x: scipy.special.softmax(x, axis=-1),
                "jax": lambda x=device: jax_softmax(x).block_until_ready(),
            }
            case = f"softmax {shape} {np.dtype(dtype)}"
            missed += compare(case, contenders, [Target("scipy", 1.0)])
    return missed
