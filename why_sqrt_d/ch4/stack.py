"""A stack of attention layers and how large the gradient is at every depth.

One layer is h ← h + A(N(h)), where A is one head of self-attention whose width is that of the
tokens, with W_q, W_k and W_v drawn anew in every layer from N(0, 1/d) and no output matrix. The
residual (h +) and the normalisation (N, every token to mean zero and mean square one, as in Ba,
Kiros & Hinton 2016 without gain and bias) can each be left out. With both it is the pre-norm
arrangement of Xiong et al. (2020), "On Layer Normalization in the Transformer Architecture".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.attention import scaled_dot_product_attention, scaled_dot_product_attention_vjp
from attn_helpers.checks import FloatArray, as_real, finite, positive_int


class Draws(NamedTuple):
    """Draws of a stack, from the output down to the input of the first layer."""

    lengths: FloatArray  #: (draws, layers + 1): norms of the gradients
    squares: FloatArray  #: (draws, layers + 1): mean squares of what the gradients belong to


class Depths(NamedTuple):
    """What a backward pass through a stack found; the last entry belongs to the last layer."""

    grad: FloatArray  #: (n, d), to the input of the first layer
    inputs: FloatArray  #: (layers + 1,): norms of the gradients to each layer's h and the output
    squares: FloatArray  #: (layers + 1,): the mean square of each layer's h and of the output
    w_query: FloatArray  #: (layers,): norms of the gradients to each W_q
    w_value: FloatArray  #: (layers,): and to each W_v


def stack_output(
    tokens: ArrayLike, weights: ArrayLike, scale: float, residual: bool, normalise: bool
) -> FloatArray:
    """Return the output of a stack of attention layers, (n, d), for tokens (n, d).

    `weights` hold W_q, W_k and W_v of every layer, (layers, 3, d, d); `scale` is β; a layer adds
    to its input if `residual`, and normalises it first if `normalise`.

    Examples
    --------
    >>> stack_output(np.eye(2), np.zeros((3, 3, 2, 2)), 1.0, residual=True, normalise=False)
    array([[1., 0.],
           [0., 1.]])
    """
    beta = finite(scale, "scale", low=0)
    return _forward(*_checked(tokens, weights), beta, residual, normalise)[-1]


def stack_gradients(
    tokens: ArrayLike,
    weights: ArrayLike,
    grad: ArrayLike,
    scale: float,
    residual: bool,
    normalise: bool,
) -> Depths:
    """Return the gradients of a stack of attention layers, depth by depth: Frobenius norms.

    `grad` (n, d) is the gradient of the loss to what `stack_output` returns for the other values.

    Examples
    --------
    >>> found = stack_gradients(np.eye(2), np.zeros((3, 3, 2, 2)), np.eye(2), 1.0, True, False)
    >>> found.inputs.round(3)
    array([1.414, 1.414, 1.414, 1.414])
    """
    h, w = _checked(tokens, weights)
    g: FloatArray = as_real(grad, "grad").astype(np.float64)
    if g.shape != h.shape:
        raise ValueError(f"grad has shape {g.shape} but tokens have {h.shape}")
    beta = finite(scale, "scale", low=0)
    states = _forward(h, w, beta, residual, normalise)
    norms = [(float(np.linalg.norm(g)), 0.0, 0.0)]
    for layer in reversed(range(len(w))):
        inner, to_query, to_value = _layer_back(states[layer], w[layer], g, beta, normalise)
        g = g + inner if residual else inner
        norms.append((float(np.linalg.norm(g)), to_query, to_value))
    inputs, w_query, w_value = np.array(norms[::-1]).T
    squares = np.array([np.mean(state**2) for state in states])
    return Depths(g, inputs, squares, w_query[:-1], w_value[:-1])


def draws(
    scale: float,
    residual: bool,
    normalise: bool,
    n: int = 64,
    d: int = 64,
    layers: int = 12,
    seeds: int = 10,
) -> Draws:
    """Return how long a gradient is on its way down, in `seeds` draws of `random_stack`.

    The options are those of `stack_gradients`. A seed gives all of them the same draw.

    Examples
    --------
    >>> draws(1.0, residual=True, normalise=True, n=3, d=4, layers=2, seeds=5).lengths.shape
    (5, 3)
    """
    found = []
    for seed in range(positive_int(seeds, "seeds")):
        start = random_stack(layers, n, d, np.random.default_rng([5, seed]))
        found.append(stack_gradients(*start, scale, residual, normalise))
    return Draws(
        np.array([one.inputs[::-1] for one in found]),
        np.array([one.squares[::-1] for one in found]),
    )


def random_stack(
    layers: int, n: int, d: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return tokens (n, d), weights (layers, 3, d, d) and a gradient (n, d) at the output.

    Their entries are N(0, 1), N(0, 1/d) and N(0, 1/(n d)), so that the gradient at the output has
    length about one.

    Examples
    --------
    >>> [a.shape for a in random_stack(layers=3, n=4, d=2, rng=np.random.default_rng(0))]
    [(4, 2), (3, 3, 2, 2), (4, 2)]
    """
    layers, n, d = positive_int(layers, "layers"), positive_int(n, "n"), positive_int(d, "d")
    tokens, grad = rng.standard_normal((2, n, d))
    return tokens, rng.standard_normal((layers, 3, d, d)) / np.sqrt(d), grad / np.sqrt(n * d)


def _checked(tokens: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    h = as_real(tokens, "tokens").astype(np.float64)
    w = as_real(weights, "weights").astype(np.float64)
    if h.ndim != 2 or w.ndim != 4 or w.shape[1:] != (3, h.shape[1], h.shape[1]):
        raise ValueError(
            f"tokens must be (n, d) and weights (layers, 3, d, d), got {h.shape} and {w.shape}"
        )
    return h, w


def _forward(
    h: FloatArray, weights: FloatArray, scale: float, residual: bool, normalise: bool
) -> list[FloatArray]:
    """Return the input of every layer and the output."""
    states = [h]
    for w in weights:
        x = _normal(h)[0] if normalise else h
        out = scaled_dot_product_attention(x @ w[0], x @ w[1], x @ w[2], scale=scale)
        h = h + out if residual else out
        states.append(h)
    return states


def _layer_back(
    h: FloatArray, w: FloatArray, g: FloatArray, scale: float, normalise: bool
) -> tuple[FloatArray, float, float]:
    """Return the gradient through A(N(h)) to h, and the norms of those to W_q and W_v."""
    x, inverse = _normal(h) if normalise else (h, np.ones((len(h), 1)))
    grads = scaled_dot_product_attention_vjp(x @ w[0], x @ w[1], x @ w[2], g, scale=scale)
    back: FloatArray = sum(
        (one @ matrix.T for one, matrix in zip(grads, w, strict=True)), np.zeros_like(h)
    )
    if normalise:
        inner = (back * x).mean(axis=1, keepdims=True)
        back = inverse * (back - back.mean(axis=1, keepdims=True) - x * inner)
    return back, float(np.linalg.norm(x.T @ grads[0])), float(np.linalg.norm(x.T @ grads[2]))


def _normal(h: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return every token with mean zero and mean square one, and what it was multiplied by."""
    centred = h - h.mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + 1e-5)
    return centred * inverse, inverse
