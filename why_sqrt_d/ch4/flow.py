"""Gradients of one attention layer, query by query, and how they spread over the queries.

The set-up: tokens with independent N(0, 1) components, weight matrices with independent
N(0, 1/d) entries, so that the components of query, key and value have variance one; and a gradient
of N(0, 1) entries at the output. Everything has width d, which is the head dimension too.
"""

from typing import Any, NamedTuple

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


def expected_square(weights: ArrayLike, d: Any, scale: Any) -> FloatArray:
    """Return the mean squared length of a query's gradient for given weights (..., n): (...).

    Over tokens, matrices and gradients at the output as this module's first lines say. `d` and
    `scale` are numbers, or arrays that broadcast with the result.

    >>> float(expected_square([0.5, 0.5], d=3, scale=1.0))  # 3 (4/4 + 1/4)
    3.75
    """
    square, trace = jacobian_norm(weights) ** 2, jacobian_trace(weights)
    return np.asarray(scale**2 * d * ((d + 1) * square + trace**2))


def random_layer(d: int, n: int, queries: int, rng: np.random.Generator) -> Layer:
    """Return random sequences of `n` tokens in an untrained layer of width `d`.

    There are ``queries // n`` sequences (at least one), and of one that is longer than `queries`
    only the first `queries` tokens ask.
    """
    tokens = rng.standard_normal((max(1, queries // n), n, d))
    asking = tokens[:, : min(n, queries)]
    query, key, value = (
        t @ (rng.standard_normal((d, d)) / np.sqrt(d)) for t in (asking, tokens, tokens)
    )
    return Layer(tokens, query, key, value, rng.standard_normal(query.shape))


def measure_flow(layer: Layer, scale: float) -> dict[str, float]:
    """Return how large the gradients in a layer are at one scale.

    Of the norms, row by row, of the gradients to the logits the median, and of those to the
    queries the median, the root mean square, and the part that the largest twentieth has of the
    sum of squares, 0 if all are 0; and ``w_query``, ``w_key``, ``w_value``: the Frobenius norms
    of the gradients to the weight matrices, summed over all tokens.
    """
    gradients = flow_gradients(*layer[1:], scale)
    squares = np.sort((gradients.query**2).sum(axis=-1), axis=None)
    top = squares[-max(1, round(squares.size / 20)) :].sum()
    numbers = {
        "logits_median": np.median(np.linalg.norm(gradients.logits, axis=-1)),
        "query_rms": np.sqrt(squares.mean()),
        "query_median": np.median(np.sqrt(squares)),
        "query_top_share": top / (squares.sum() or 1),
    }
    asking = layer.tokens[:, : layer.query.shape[1]]
    for name, tokens in (("query", asking), ("key", layer.tokens), ("value", layer.tokens)):
        # W's gradient is Σ tokenᵀ · gradient over all tokens of all sequences.
        total = np.tensordot(tokens, getattr(gradients, name), axes=([0, 1], [0, 1]))
        numbers[f"w_{name}"] = np.linalg.norm(total)
    return {name: float(value) for name, value in numbers.items()}
