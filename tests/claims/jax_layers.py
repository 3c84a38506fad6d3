"""Attention written again and differentiated by JAX, to hold the claims' tests against.

Nothing here comes from the course's packages. Matrices have N(0, 1/d) entries, all else N(0, 1).
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Layer(NamedTuple):
    """A layer of width d: sequences of tokens, W_q, W_k, W_v, and gradients at the output."""

    tokens: np.ndarray  #: (sequences, n, d)
    weights: np.ndarray  #: (3, d, d)
    grad: np.ndarray  #: (sequences, n, d)


def draw_layer(d: int, n: int, queries: int, seed: Sequence[int]) -> Layer:
    """Return a random layer with `queries` in sequences of `n` tokens, in single precision."""
    rng = np.random.default_rng(seed)
    tokens, grad = rng.standard_normal((2, queries // n, n, d), dtype=np.float32)
    return Layer(tokens, rng.standard_normal((3, d, d), dtype=np.float32) / np.sqrt(d), grad)


def attend(x: jax.Array, w: jax.Array, scale: float, moved: jax.Array | float = 0) -> jax.Array:
    """Return the attention of tokens (..., n, d) to each other; the queries are `moved`."""
    q, k, v = x @ w[0] + moved, x @ w[1], x @ w[2]
    return jax.nn.softmax(scale * q @ k.swapaxes(-1, -2), axis=-1) @ v


@jax.jit
def gradients(layer: Layer, scale: float) -> tuple[jax.Array, jax.Array]:
    """Return how long the gradients are to each query, and to W_q, W_k and W_v."""
    tokens, weights, grad = map(jnp.float32, layer)

    def loss(moved: jax.Array, w: jax.Array) -> jax.Array:
        return jnp.sum(grad * attend(tokens, w, scale, moved))

    query, matrices = jax.grad(loss, (0, 1))(jnp.zeros_like(tokens), weights)
    return jnp.linalg.norm(query, axis=-1).ravel(), jnp.linalg.norm(matrices, axis=(1, 2))
