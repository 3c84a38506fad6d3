"""Gradients of one attention layer, query by query, and how they spread over the queries.

The set-up: tokens with independent N(0, 1) components, weight matrices with independent
N(0, 1/d) entries, so that the components of query, key and value have variance one; and a gradient
of N(0, 1) entries at the output. Everything has width d, which is the head dimension too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.attention import scaled_dot_product_attention
from attn_helpers.checks import FloatArray, as_real, finite, positive_int
from attn_helpers.weights import softmax_vjp


class FlowGradients(NamedTuple):
    """Gradients of a loss inside attention; shapes (..., n_q, n) and those of the inputs."""

    logits: FloatArray
    query: FloatArray
    key: FloatArray
    value: FloatArray


class Spread(NamedTuple):
    """How norms are spread over rows."""

    mean: float
    rms: float
    median: float
    low: float
    high: float
    top_share: float  #: the part of the sum of squares that the top rows hold; 0 if all are 0


class Layer(NamedTuple):
    """Sequences of tokens in one attention layer, float64: leading axis the sequence."""

    tokens: FloatArray  #: (sequences, n, d)
    query: FloatArray  #: (sequences, n_q, d): of the first n_q tokens
    key: FloatArray  #: (sequences, n, d)
    value: FloatArray  #: (sequences, n, d)
    grad: FloatArray  #: (sequences, n_q, d), at the output


def flow_gradients(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, grad: ArrayLike, scale: float
) -> FlowGradients:
    """Return the gradients to the logits, query, key and value of attention.

    As `scaled_dot_product_attention_vjp` (Dao et al. 2022, "FlashAttention", appendix B.2), with
    the gradient to the logits besides. In every row of that one the entry of the largest weight
    is minus the sum of the others, which keeps its digits where p (g - Σpg) would lose them all.

    Shapes: query ``(..., n_q, d_k)``, key ``(..., n, d_k)``, value ``(..., n, d_v)``, all with the
    same leading axes, and the gradient of the loss to the output ``(..., n_q, d_v)``.

    Examples
    --------
    >>> query, key, value = np.zeros((1, 1)), np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> flow_gradients(query, key, value, [[1.0]], scale=1.0).logits
    array([[ 1., -1.]])
    """
    beta = finite(scale, "scale", low=0)
    q, k, v = as_real(query, "query"), as_real(key, "key"), as_real(value, "value")
    _, weights = scaled_dot_product_attention(q, k, v, scale=beta, return_weights=True)
    g = as_real(grad, "grad")
    logits = softmax_vjp(weights, g @ v.swapaxes(-1, -2))
    top = weights.argmax(axis=-1)[..., None]
    np.put_along_axis(logits, top, 0, axis=-1)
    np.put_along_axis(logits, top, -logits.sum(axis=-1, keepdims=True), axis=-1)
    return FlowGradients(
        logits,
        beta * (logits @ k),
        beta * (logits.swapaxes(-1, -2) @ q),
        weights.swapaxes(-1, -2) @ g,
    )


def spread(norms: ArrayLike, share: float = 0.05) -> Spread:
    """Return how norms are spread: mean, root mean square, median, quantiles, share of the top.

    The `share` in (0, 1) of the rows is called the top; `low` and `high` are the quantiles that
    cut off as much at either end.

    Examples
    --------
    >>> spread([0.0, 0.0, 0.0, 2.0], share=0.25).top_share
    1.0
    """
    x = as_real(norms, "norms").ravel().astype(np.float64)
    if x.size == 0:
        raise ValueError("norms must hold at least one number, got none")
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, got {share!r}")
    squares = np.sort(x)[::-1] ** 2
    total, rows = float(squares.sum()), max(1, round(share * x.size))
    low, median, high = (float(q) for q in np.quantile(x, (share, 0.5, 1 - share)))
    top = float(squares[:rows].sum()) / total if total else 0.0
    return Spread(float(x.mean()), float(np.sqrt(total / x.size)), median, low, high, top)


def random_layer(d: int, n: int, queries: int, rng: np.random.Generator) -> Layer:
    """Return random sequences in an untrained layer, as this module's first lines say.

    Tokens, queries, keys and values have width `d`, a sequence `n` tokens. There are
    ``queries // n`` sequences (at least one), and of one that is longer than `queries` only the
    first `queries` tokens ask.

    Examples
    --------
    >>> layer = random_layer(d=8, n=4, queries=12, rng=np.random.default_rng(0))
    >>> layer.query.shape
    (3, 4, 8)
    """
    d, n, queries = positive_int(d, "d"), positive_int(n, "n"), positive_int(queries, "queries")
    tokens = rng.standard_normal((max(1, queries // n), n, d))
    asking = tokens[:, : min(n, queries)]
    query, key, value = (
        t @ (rng.standard_normal((d, d)) / np.sqrt(d)) for t in (asking, tokens, tokens)
    )
    return Layer(tokens, query, key, value, rng.standard_normal(query.shape))


def measure_flow(layer: Layer, scale: float) -> dict[str, float]:
    """Return how large the gradients in a layer are at one scale.

    ``logits_median`` and the other fields of `Spread` for the norms, row by row, of the gradients
    to logits, query and key; and ``w_query``, ``w_key``, ``w_value``: the Frobenius norms of the
    gradients to the weight matrices, summed over all tokens.

    Examples
    --------
    >>> layer = random_layer(d=8, n=4, queries=12, rng=np.random.default_rng(0))
    >>> sorted(measure_flow(layer, scale=0.0))[-2:]
    ['w_query', 'w_value']
    """
    found = flow_gradients(layer.query, layer.key, layer.value, layer.grad, scale)
    numbers: dict[str, float] = {}
    for name in ("logits", "query", "key"):
        rows = np.linalg.norm(getattr(found, name), axis=-1)
        numbers |= {f"{name}_{key}": x for key, x in spread(rows)._asdict().items()}
    asking = layer.tokens[:, : layer.query.shape[1]]
    for name, tokens in (("query", asking), ("key", layer.tokens), ("value", layer.tokens)):
        # W's gradient is Σ tokenᵀ · gradient over all tokens of all sequences.
        total = np.tensordot(tokens, getattr(found, name), axes=([0, 1], [0, 1]))
        numbers[f"w_{name}"] = float(np.linalg.norm(total))
    return numbers


def flow_at_scales(layer: Layer, scales: Sequence[float]) -> dict[str, list[float]]:
    """Return `measure_flow` at several scales: for every name a list as long as `scales`."""
    rows = [measure_flow(layer, scale) for scale in scales]
    return {name: [row[name] for row in rows] for name in rows[0]}


def grown_w_query(layer: Layer, growths: Sequence[float], scale: float) -> list[FloatArray]:
    """Return the gradient to W_q, (d, d), for each factor on W_q, W_k and W_v together.

    Examples
    --------
    >>> layer = random_layer(d=8, n=4, queries=12, rng=np.random.default_rng(0))
    >>> [grad.shape for grad in grown_w_query(layer, growths=[1.0, 2.0], scale=0.5)]
    [(8, 8), (8, 8)]
    """
    found = []
    for growth in growths:
        q, k, v = (growth * x for x in (layer.query, layer.key, layer.value))
        grads = flow_gradients(q, k, v, layer.grad, scale)
        asking = layer.tokens[:, : layer.query.shape[1]]
        found.append(np.tensordot(asking, grads.query, axes=([0, 1], [0, 1])))
    return found
