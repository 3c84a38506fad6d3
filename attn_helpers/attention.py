"""Scaled dot-product attention, its gradient, and several heads of it.

Attention(Q, K, V) = softmax(β Q Kᵀ) V: Vaswani et al. (2017), "Attention Is All You Need",
section 3.2.1, equation 1, where β = 1/sqrt(d_k). Arguments mean what they mean in PyTorch.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_helpers.checks import FloatArray, as_real, finite, positive_int, working
from attn_helpers.weights import exponentials, softmax_vjp


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    return_weights: bool = False,
) -> Any:
    """Return softmax(scale · query keyᵀ + mask) value.

    Parameters
    ----------
    query, key, value : array_like
        Shapes ``(..., n_q, d_k)``, ``(..., n, d_k)``, ``(..., n, d_v)``; leading axes broadcast.
    attn_mask : array_like, optional
        Broadcasts to the logits ``(..., n_q, n)``. Boolean: True means the query may attend to
        the key. Float: added to the logits; it does not take part in choosing the dtype.
    is_causal : bool
        Query i may attend to keys 0..i, also when ``n_q != n`` (top-left aligned).
    scale : float, optional
        β, finite and >= 0. Default ``d_k ** -0.5``.
    return_weights : bool
        Also return the weights.

    Returns
    -------
    output : ndarray
        Shape ``(..., n_q, d_v)``, dtype ``result_type(query, key, value)`` with integers taken
        as float64. A query that may attend to nothing gets zeros.
    weights : ndarray
        Shape ``(..., n_q, n)``; only if `return_weights`.

    Notes
    -----
    Vaswani et al. (2017), section 3.2.1, equation 1. Arguments as in
    ``torch.nn.functional.scaled_dot_product_attention`` (without dropout). float16 is computed
    in float32. A logit of ``+inf`` is an error.

    Examples
    --------
    >>> query, key, value = np.eye(2), np.eye(2), np.array([[1.0], [3.0]])
    >>> scaled_dot_product_attention(query, key, value, scale=np.log(3.0))
    array([[1.5],
           [2.5]])
    """
    q, k, v, beta, dtype = _inputs(query, key, value, scale)
    weights = _weights(q, k, _mask(attn_mask, is_causal, q, k), beta)
    output = (weights @ v).astype(dtype, copy=False)
    return (output, weights.astype(dtype, copy=False)) if return_weights else output


def scaled_dot_product_attention_vjp(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the gradients of a loss to query, key and value.

    `grad` is the gradient to the output, ``(..., n_q, d_v)``; the other arguments are as for
    `scaled_dot_product_attention`: `query`, `key`, `value`, `attn_mask`, `is_causal`, `scale`.
    Each result has the shape of its input (summed over the leading axes that were broadcast) and
    dtype ``result_type(query, key, value)``. Dao et al. (2022), "FlashAttention", appendix B.2:
    with P the weights and G = grad, dV = Pᵀ G, dP = G Vᵀ, dS = P ∘ (dP - rowsum(P ∘ dP)),
    dQ = β dS K, dK = β dSᵀ Q.

    >>> query, key, value = np.zeros((1, 1)), np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> scaled_dot_product_attention_vjp(query, key, value, [[1.0]])[0]  # p (1 - p) · 4
    array([[1.]])
    """
    q, k, v, beta, dtype = _inputs(query, key, value, scale)
    p = _weights(q, k, _mask(attn_mask, is_causal, q, k), beta)  # (..., n_q, n)
    g = as_real(grad, "grad")
    expected = (*np.broadcast_shapes(p.shape[:-2], v.shape[:-2]), p.shape[-2], v.shape[-1])
    if g.shape != expected:
        raise ValueError(f"grad has shape {g.shape} but the output has shape {expected}")
    g = g.astype(p.dtype, copy=False)
    grad_scores = beta * softmax_vjp(p, _sum_to(g @ v.swapaxes(-1, -2), p.shape))
    grad_query = grad_scores @ k
    grad_key = grad_scores.swapaxes(-1, -2) @ q
    grad_value = p.swapaxes(-1, -2) @ g
    one, two, three = (
        _sum_to(a, b.shape).astype(dtype, copy=False)
        for a, b in ((grad_query, q), (grad_key, k), (grad_value, v))
    )
    return one, two, three


def _weights(q: FloatArray, k: FloatArray, mask: NDArray[Any] | None, beta: float) -> FloatArray:
    """Return softmax(β q kᵀ + mask), (..., n_q, n)."""
    logits = q @ k.swapaxes(-1, -2)
    logits *= beta
    if mask is not None and mask.dtype == np.bool_:
        np.copyto(logits, -np.inf, where=~mask)
    elif mask is not None:
        with np.errstate(over="ignore"):  # a float64 mask of -1e300 is -inf in float32
            np.add(logits, mask, out=logits, casting="same_kind")
    weights, total = exponentials(logits, -1, "attention: the matrix of logits", out=logits)
    weights /= total
    return weights


def _inputs(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, scale: float | None
) -> tuple[FloatArray, FloatArray, FloatArray, float, np.dtype[Any]]:
    """Return the checked arrays in the dtype the work is done in, β, and the result's dtype."""
    q, k, v = as_real(query, "query"), as_real(key, "key"), as_real(value, "value")
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        shapes = f"query {q.shape}, key {k.shape}, value {v.shape}"
        raise ValueError(f"query, key and value need at least two axes, got shapes {shapes}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query has d_k = {q.shape[-1]} but key has {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"key has n = {k.shape[-2]} but value has {v.shape[-2]}")
    if 0 in k.shape[-2:]:
        raise ValueError(f"key must hold n >= 1 keys with d_k >= 1, got shape {k.shape}")
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            f"leading axes do not broadcast: query {q.shape[:-2]}, key {k.shape[:-2]}, "
            f"value {v.shape[:-2]}"
        ) from None
    dtype = np.result_type(q, k, v)
    work = working(np.empty(0, dtype)).dtype
    q, k, v = (a.astype(work, copy=False) for a in (q, k, v))
    beta = 1 / math.sqrt(q.shape[-1]) if scale is None else finite(scale, "scale", low=0)
    return q, k, v, beta, dtype


def _mask(
    attn_mask: ArrayLike | None, is_causal: bool, q: FloatArray, k: FloatArray
) -> NDArray[Any] | None:
    """Return the mask as a boolean or float array that broadcasts to the logits."""
    n_q, n = q.shape[-2], k.shape[-2]
    if attn_mask is None:
        return np.tri(n_q, n, dtype=np.bool_) if is_causal else None
    if is_causal:
        raise ValueError("give attn_mask or is_causal=True, not both")
    mask = np.asarray(attn_mask)
    if mask.dtype.kind not in "bf":
        raise TypeError(
            "attn_mask must be boolean (True = may attend) or float (added to the logits), "
            f"got dtype {mask.dtype}"
        )
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), n_q, n)
    try:
        np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"attn_mask has shape {mask.shape}, which does not broadcast to the logits {shape}"
        ) from None
    return mask


def _sum_to(array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Sum over the leading axes that broadcasting added to, or stretched from, `shape`."""
    extra = array.ndim - len(shape)
    array = array.sum(axis=tuple(range(extra))) if extra else array
    stretched = tuple(i for i, n in enumerate(shape[:-2]) if n == 1 and array.shape[i] != 1)
    return array.sum(axis=stretched, keepdims=True) if stretched else array


class Projections(NamedTuple):
    """The four matrices of a multi-head layer; tokens are rows, so q = x @ query.

    `query` and `key` are ``(d_model, heads * d_k)``, `value` is ``(d_model, heads * d_v)``, and
    `output` is ``(heads * d_v, d_out)``.
    """

    query: FloatArray
    key: FloatArray
    value: FloatArray
    output: FloatArray


def split_heads(x: ArrayLike, heads: int) -> FloatArray:
    """Cut the last axis into heads and put the heads before the tokens.

    `x` is ``(..., n, heads * d)`` and the result ``(..., heads, n, d)`` for `heads` heads: head i
    has the columns i·d to (i+1)·d of every token. Vaswani et al. (2017), section 3.2.2.
    ``x.reshape(heads, n, d)`` has the same shape and is wrong: it cuts along the tokens.

    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], heads=2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    values, h = as_real(x, "split_heads: x"), positive_int(heads, "heads")
    if values.ndim < 2:
        raise ValueError(f"split_heads: x needs at least two axes, got shape {values.shape}")
    *lead, n, width = values.shape
    if width == 0 or width % h:
        raise ValueError(f"split_heads: {h} heads do not divide the last axis of {values.shape}")
    return values.reshape(*lead, n, h, width // h).swapaxes(-3, -2)


def merge_heads(x: ArrayLike) -> FloatArray:
    """Concatenate the heads of every token: the inverse of `split_heads`.

    `x` is ``(..., heads, n, d)`` and the result ``(..., n, heads * d)``: "Concat" in Vaswani et
    al. (2017), section 3.2.2.

    >>> merge_heads([[[1.0, 2.0]], [[3.0, 4.0]]])
    array([[1., 2., 3., 4.]])
    """
    values = as_real(x, "merge_heads: x")
    if values.ndim < 3:
        raise ValueError(f"merge_heads: x needs at least three axes, got shape {values.shape}")
    *lead, heads, n, d = values.shape
    return values.swapaxes(-3, -2).reshape(*lead, n, heads * d)


def multi_head_attention(
    x: ArrayLike,
    context: ArrayLike,
    projections: Projections,
    heads: int,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    return_weights: bool = False,
) -> Any:
    """Return Concat(head_1, …, head_h) W_O, each head a scaled dot-product attention.

    The tokens that ask are `x`, ``(..., n_q, d_model)``; those that are asked are `context`,
    ``(..., n, d_model)``, which is x itself for self-attention. `projections` and the number of
    `heads` make queries, keys and values. `attn_mask`, `is_causal`, `scale` and `return_weights`
    are as for `scaled_dot_product_attention`; the mask broadcasts to ``(..., heads, n_q, n)``, and
    d_k in the default scale is the width of one *head*. The output is ``(..., n_q, d_out)``, the
    weights are ``(..., heads, n_q, n)``. Vaswani et al. (2017), section 3.2.2.

    >>> x, one = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]
    >>> multi_head_attention(x, x, Projections(one, one, one, one), heads=2, scale=0.0)
    array([[2., 3.],
           [2., 3.]])
    """
    tokens, asked = as_real(x, "x"), as_real(context, "context")
    if len(projections) != 4:
        raise ValueError(f"projections must hold four matrices, got {len(projections)}")
    weights = Projections(
        *(
            as_real(w, f"projections.{name}")
            for name, w in zip(Projections._fields, projections, strict=True)
        )
    )
    _check_fit(tokens, asked, weights)
    query, key, value = (
        split_heads(a @ w, heads)  # (..., heads, tokens, d_k or d_v)
        for a, w in ((tokens, weights.query), (asked, weights.key), (asked, weights.value))
    )
    output, p = scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal, scale, return_weights=True
    )
    result = merge_heads(output) @ weights.output  # (..., n_q, d_out)
    return (result, p) if return_weights else result


def _check_fit(x: FloatArray, context: FloatArray, weights: Projections) -> None:
    for name, w in weights._asdict().items():
        if w.ndim != 2:
            raise ValueError(f"projections.{name} must be a matrix, got shape {w.shape}")
    if x.ndim < 2 or context.ndim < 2:
        raise ValueError(f"x {x.shape} and context {context.shape} need at least two axes")
    for left, a, right in (
        ("x", x, "query"),
        ("context", context, "key"),
        ("context", context, "value"),
        ("projections.value", weights.value, "output"),
    ):
        b = getattr(weights, right)
        if a.shape[-1] != b.shape[0]:
            raise ValueError(f"{left} {a.shape} does not fit projections.{right} {b.shape}")
