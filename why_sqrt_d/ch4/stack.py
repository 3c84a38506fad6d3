"""A stack of attention layers and how large the gradient is at every depth.

One layer is h ← h + A(N(h)), where A is one head of self-attention whose width is that of the
tokens, with W_q, W_k and W_v drawn anew in every layer from N(0, 1/d) and no output matrix. The
residual (h +) and the normalisation (N, every token to mean zero and mean square one, as in Ba,
Kiros & Hinton 2016 without gain and bias) can each be left out. With both it is the pre-norm
arrangement of Xiong et al. (2020), "On Layer Normalization in the Transformer Architecture".
"""

import math
from collections.abc import Iterable

import numpy as np

from attn_helpers.attention import scaled_dot_product_attention, scaled_dot_product_attention_vjp
from attn_helpers.checks import FloatArray


def random_stack(
    layers: int, n: int, d: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return tokens (n, d), weights (layers, 3, d, d) and a gradient (n, d) at the output.

    Their entries are N(0, 1), N(0, 1/d) and N(0, 1/(n d)), so that the gradient at the
    output has length about one.
    """
    tokens, grad = rng.standard_normal((2, n, d))
    weights = rng.standard_normal((layers, 3, d, d)) / math.sqrt(d)
    return tokens, weights, grad / math.sqrt(n * d)


def stack_gradients(
    tokens: FloatArray,
    weights: FloatArray,
    grad: FloatArray,
    scale: float,
    residual: bool,
    normalise: bool,
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the gradients of a stack and what they belong to, two lists of (..., n, d).

    Both begin with the output and end with the input of the first layer. `tokens` (..., n, d) go
    in, `weights` (layers, 3, ..., d, d) hold W_q, W_k and W_v of every layer, and `grad`
    (..., n, d) is the gradient of the loss to what comes out; `scale` is β.

    >>> grads, _ = stack_gradients(np.eye(2), np.zeros((3, 3, 2, 2)), np.eye(2), 1.0, True, False)
    >>> [float(grad.sum()) for grad in grads]
    [2.0, 2.0, 2.0, 2.0]
    """
    states = [tokens]
    for w in weights:
        x, _ = _read(states[0], normalise)
        out = scaled_dot_product_attention(x @ w[0], x @ w[1], x @ w[2], scale=scale)
        states.insert(0, states[0] + out if residual else out)
    grads = [grad]
    for h, w in zip(states[1:], weights[::-1], strict=True):
        x, factor = _read(h, normalise)
        three = scaled_dot_product_attention_vjp(
            x @ w[0], x @ w[1], x @ w[2], grads[-1], scale=scale
        )
        back = sum(g @ matrix.swapaxes(-1, -2) for g, matrix in zip(three, w, strict=True))
        if normalise:
            along = (back * x).mean(axis=-1, keepdims=True)
            back = factor * (back - back.mean(axis=-1, keepdims=True) - x * along)
        grads.append(grads[-1] + back if residual else back)
    return grads, states


def draws(
    scales: Iterable[float],
    residual: bool,
    normalise: bool,
    n: int = 64,
    seeds: int = 10,
) -> FloatArray:
    """Return how long gradients are on their way down: (scales, seeds, 13), output first.

    The stack has 12 layers and tokens of 64 components; the options are those of
    `stack_gradients`. A seed gives all of them the same `random_stack`.
    """
    starts = (random_stack(12, n, 64, np.random.default_rng([5, s])) for s in range(seeds))
    # (seeds, n, 64), (12, 3, seeds, 64, 64), (seeds, n, 64)
    tokens, weights, grad = (np.stack(part, axis=-3) for part in zip(*starts, strict=True))
    lengths = []
    for scale in scales:
        grads, _ = stack_gradients(tokens, weights, grad, scale, residual, normalise)
        # 13 arrays (seeds, n, 64): (13, seeds), turned round
        lengths.append(np.linalg.norm(grads, axis=(-2, -1)).T)
    return np.array(lengths)


def _read(h: FloatArray, normalise: bool) -> tuple[FloatArray, FloatArray]:
    """Return what a layer reads of h, each token normalised or not, and its factor on a token."""
    if not normalise:
        return h, np.ones((len(h), 1))
    centred = h - h.mean(axis=-1, keepdims=True)
    factor = 1 / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    return centred * factor, factor
