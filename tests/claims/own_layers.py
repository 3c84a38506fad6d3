"""Attention written again and differentiated by JAX: layers, stacks and a trained head.

Nothing here comes from the course's packages, so that a claim's test can hold them against it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


def head(x: jax.Array, to: jax.Array, w: Sequence[jax.Array], scale: float) -> jax.Array:
    """Return what queries from `x` (..., n_q, d_x) read from the tokens `to` (..., n, d_x)."""
    q, k, v = x @ w[0], to @ w[1], to @ w[2]
    return jax.nn.softmax(scale * q @ k.swapaxes(-1, -2), axis=-1) @ v


class Layer(NamedTuple):
    """Sequences (blocks, n, d) of N(0, 1), N(0, 1/d) matrices, N(0, 1) gradients at the output."""

    tokens: np.ndarray
    weights: np.ndarray
    grad: np.ndarray


def draw_layer(d: int, n: int, queries: int, seed: Sequence[int]) -> Layer:
    """Return a random layer with `queries` in sequences of `n` tokens, in single precision."""
    rng = np.random.default_rng(seed)
    tokens, grad = rng.standard_normal((2, queries // n, n, d), dtype=np.float32)
    weights = rng.standard_normal((3, d, d), dtype=np.float32) / np.float32(d**0.5)
    return Layer(tokens, weights, grad)


@jax.jit
def query_gradients(layer: Layer, scale: float) -> jax.Array:
    """Return the length of the gradient to each query."""
    tokens, (to_query, to_key, to_value), grad = layer

    def loss(q: jax.Array) -> jax.Array:
        return jnp.sum(grad * head(q, tokens, (jnp.eye(q.shape[-1]), to_key, to_value), scale))

    return jnp.linalg.norm(jax.grad(loss)(tokens @ to_query), axis=-1).ravel()


@jax.jit
def matrix_gradients(layer: Layer, scale: float) -> jax.Array:
    """Return the lengths of the gradients to W_q, W_k and W_v."""

    def loss(w: jax.Array) -> jax.Array:
        return jnp.sum(layer.grad * head(layer.tokens, layer.tokens, w, scale))

    return jnp.linalg.norm(jax.grad(loss)(layer.weights), axis=(1, 2))


@jax.jit
def deep_gradient(
    tokens: jax.Array, weights: jax.Array, grad: jax.Array, scale: float
) -> jax.Array:
    """Return the length of the gradient to the `tokens` (n, d) below a stack of layers.

    Each is h + attention(normalised h), with matrices of `weights` (layers, 3, d, d).
    """

    def layer(h: jax.Array, w: jax.Array) -> tuple[jax.Array, None]:
        x = h - h.mean(axis=-1, keepdims=True)
        x /= jnp.sqrt((x**2).mean(axis=-1, keepdims=True))
        return h + head(x, x, w, scale), None

    def loss(h: jax.Array) -> jax.Array:
        return jnp.sum(grad * jax.lax.scan(layer, h, weights)[0])

    return jnp.linalg.norm(jax.grad(loss)(tokens))


def stack_lengths(n: int, scale: float, seeds: int, layers: int) -> np.ndarray:
    """Return `deep_gradient`, d = 64, for a gradient of length one above random stacks."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng([n, seed])
        tokens, grad = rng.standard_normal((2, n, 64))
        weights = rng.standard_normal((layers, 3, 64, 64)) / 8
        found.append(deep_gradient(tokens, weights, grad / np.linalg.norm(grad), scale))
    return np.array(found)


@jax.jit
def train(seed: int, d: int, scale: float, rate: float, adam: bool) -> tuple[jax.Array, jax.Array]:
    """Train a head to give the content (8) of the token, of 16, with the asked address (16).

    32 fresh questions a step, 400 steps, a constant rate, and `d` of 64 columns in use. Returns
    the error of every batch, and the spread of the logits of a row, before the first step and
    after the last.
    """
    draw, start = jax.random.split(jax.random.key(seed))
    shapes, used = [(24, 64), (24, 64), (24, 8)], jnp.arange(64) < d
    keys = jax.random.split(start, 3)
    first = [jax.random.normal(k, s) / 24**0.5 for k, s in zip(keys, shapes, strict=True)]
    first = [first[0] * used, first[1] * used, first[2]]

    def questions(key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        tokens_key, asked_key = jax.random.split(key)
        tokens = jax.random.normal(tokens_key, (32, 16, 24))
        asked = tokens[jnp.arange(32), jax.random.randint(asked_key, (32,), 0, 16)][:, None]
        return asked.at[..., 16:].set(0), tokens, asked[..., 16:]

    def loss(w: list[jax.Array], key: jax.Array) -> jax.Array:
        question, tokens, answer = questions(key)
        return jnp.mean((head(question, tokens, w, scale) - answer) ** 2)

    def step(state: tuple, step_key: tuple) -> tuple[tuple, jax.Array]:
        t, key = step_key
        w, mean, square = state
        error, g = jax.value_and_grad(loss)(w, key)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, g)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, g)
        moves = jax.tree.map(
            lambda m, s: m / (1 - 0.9**t) / (jnp.sqrt(s / (1 - 0.999**t)) + 1e-8), mean, square
        )
        w = jax.tree.map(lambda w, m, g: w - rate * jnp.where(adam, m, g), w, moves, g)
        return (w, mean, square), error

    def spread(w: list[jax.Array]) -> jax.Array:
        question, tokens, _ = questions(jax.random.key(1))
        logits = scale * (question @ w[0]) @ (tokens @ w[1]).swapaxes(-1, -2)
        return jnp.sqrt(logits.var(axis=-1).mean())

    none = jax.tree.map(jnp.zeros_like, first)
    steps = jnp.arange(1, 401), jax.random.split(draw, 400)
    (last, _, _), errors = jax.lax.scan(step, (first, none, none), steps)
    return errors, jnp.stack([spread(first), spread(last)])
