"""Gradients of one attention layer, query by query, and how they spread over the queries.

The set-up: tokens with independent N(0, 1) components, weight matrices with independent
N(0, 1/d) entries, so that the components of query, key and value have variance one; and a gradient
of N(0, 1) entries at the output. Everything has width d, which is the head dimension too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.attention import scaled_dot_product_attention
from attn_helpers.checks import FloatArray
from attn_helpers.weights import jacobian_norm, jacobian_trace, softmax_vjp


class FlowGradients(NamedTuple):
    """Gradients of a loss inside attention; shapes (..., n_q, n) and those of the inputs."""

    logits: FloatArray
    query: FloatArray
    key: FloatArray
    value: FloatArray


class Layer(NamedTuple):
    """Sequences of tokens in one attention layer, float64: leading axis the sequence."""

    tokens: FloatArray  #: (sequences, n, d)
    query: FloatArray  #: (sequences, n_q, d): of the first n_q tokens
    key: FloatArray  #: (sequences, n, d)
    value: FloatArray  #: (sequences, n, d)
    grad: FloatArray  #: (sequences, n_q, d), at the output


def flow_gradients(
    query: FloatArray, key: FloatArray, value: FloatArray, grad: FloatArray, scale: float
) -> FlowGradients:
    """Return the gradients to the logits, query, key and value of attention.

    As `scaled_dot_product_attention_vjp`, with the gradient to the logits besides, for arrays
    with the same leading axes; and a row of one runaway winner keeps its digits.

    >>> query, key, value = np.zeros((1, 1)), np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> flow_gradients(query, key, value, np.ones((1, 1)), scale=1.0).logits
    array([[ 1., -1.]])
    """
    _, p = scaled_dot_product_attention(query, key, value, scale=scale, return_weights=True)
    to_weights = grad @ value.swapaxes(-1, -2)
    # One number off a whole row changes nothing, since J takes it to zero. Counted from the
    # winner, p (g - Σpg) is no difference of nearly equal numbers.
    winner = np.take_along_axis(to_weights, p.argmax(axis=-1)[..., None], axis=-1)
    logits = softmax_vjp(p, to_weights - winner)
    to_key = scale * (logits.swapaxes(-1, -2) @ query)
    return FlowGradients(logits, scale * (logits @ key), to_key, p.swapaxes(-1, -2) @ grad)


def expected_square(weights: ArrayLike, d: int, scale: float) -> FloatArray:
    """Return the mean squared length of a query's gradient for given weights (..., n): (...).

    Over tokens, matrices and gradients at the output as this module's first lines say.

    >>> float(expected_square([0.5, 0.5], d=3, scale=1.0))  # 3 (4/4 + 1/4)
    3.75
    """
    square, trace = jacobian_norm(weights) ** 2, jacobian_trace(weights)
    return np.asarray(scale**2 * d * ((d + 1) * square + trace**2))


def random_layer(d: int, n: int, queries: int, rng: np.random.Generator) -> Layer:
    """Return random sequences of `n` tokens in an untrained layer of width `d`.

    There are ``queries // n`` sequences (at least one), and of one that is longer than `queries`
    only the first `queries` tokens ask.

    >>> layer = random_layer(d=8, n=4, queries=12, rng=np.random.default_rng(0))
    >>> layer.query.shape
    (3, 4, 8)
    """
    tokens = rng.standard_normal((max(1, queries // n), n, d))
    asking = tokens[:, : min(n, queries)]
    query, key, value = (
        t @ (rng.standard_normal((d, d)) / np.sqrt(d)) for t in (asking, tokens, tokens)
    )
    return Layer(tokens, query, key, value, rng.standard_normal(query.shape))


def spread(norms: FloatArray, share: float = 0.05) -> dict[str, float]:
    """Return how norms are spread: mean, root mean square, median, quantiles, share of the top.

    The top are the largest `share` of them: their part of the sum of squares, 0 if all are 0.
    `low` and `high` are the quantiles that cut off as much at either end.

    >>> spread(np.array([0.0, 0.0, 0.0, 2.0]), share=0.25)["top_share"]
    1.0
    """
    squares = np.sort(norms.ravel())[::-1] ** 2
    total = squares.sum()
    low, median, high = np.quantile(norms, (share, 0.5, 1 - share))
    found = {"mean": norms.mean(), "rms": np.sqrt(squares.mean()), "median": median}
    found |= {"low": low, "high": high}
    found["top_share"] = squares[: max(1, round(share * norms.size))].sum() / (total or 1)
    return {name: float(value) for name, value in found.items()}


def measure_flow(layer: Layer, scale: float) -> dict[str, float]:
    """Return how large the gradients in a layer are at one scale.

    ``logits_median`` and the other names of `spread` for the norms, row by row, of the gradients
    to logits, query and key; and ``w_query``, ``w_key``, ``w_value``: the Frobenius norms of the
    gradients to the weight matrices, summed over all tokens.

    >>> layer = random_layer(d=8, n=4, queries=12, rng=np.random.default_rng(0))
    >>> sorted(measure_flow(layer, scale=0.0))[-2:]
    ['w_query', 'w_value']
    """
    found = flow_gradients(*layer[1:], scale)
    numbers = {
        f"{name}_{key}": value
        for name in ("logits", "query", "key")
        for key, value in spread(np.linalg.norm(getattr(found, name), axis=-1)).items()
    }
    asking = layer.tokens[:, : layer.query.shape[1]]
    for name, tokens in (("query", asking), ("key", layer.tokens), ("value", layer.tokens)):
        # W's gradient is Σ tokenᵀ · gradient over all tokens of all sequences.
        total = np.tensordot(tokens, getattr(found, name), axes=([0, 1], [0, 1]))
        numbers[f"w_{name}"] = float(np.linalg.norm(total))
    return numbers
