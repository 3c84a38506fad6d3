"""Scaled dot-product attention, its gradient, and several heads of it.

Attention(Q, K, V) = softmax(β Q Kᵀ) V: Vaswani et al. (2017), "Attention Is All You Need",
section 3.2.1, equation 1, where β = 1/sqrt(d_k). Arguments mean what they mean in PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_helpers.checks import FloatArray, as_real, finite, plain, positive_int, working
from attn_helpers.weights import exponentials, refuse_infinite, softmax_vjp

Mask = NDArray[Any] | None  # boolean or float

_BLOCK = 2**17  # logits that live at a time: 512 kB in float32, less than a processor's L2 cache
_NAME = "attention: the matrix of logits"


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
    in float32. A logit of ``+inf`` is an error. NaN in a value can reach queries that a mask
    keeps from it, as in PyTorch, because 0 · NaN is NaN. Where a product overflows and β < 1 makes
    it small again, the queries are scaled before.

    Many logits are not held at once but in blocks (unless the weights are returned): the memory
    grows with n, not with its square. With A the largest β Σ|q_i k_i| of a query and a key, the
    output is off by at most 2 eps ((d_k + 6) A + 7 n + 8) of the largest value, to first order.

    Examples
    --------
    >>> query, key, value = np.eye(2), np.eye(2), np.array([[1.0], [3.0]])
    >>> scaled_dot_product_attention(query, key, value, scale=np.log(3.0))
    array([[1.5],
           [2.5]])
    """
    q, k, v, beta, dtype = _inputs(query, key, value, scale)
    mask, n_q, n = _mask(attn_mask, is_causal, q, k), q.shape[-2], k.shape[-2]
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if math.prod(lead) * n_q * n > 2 * _BLOCK and not return_weights:
        return _in_blocks(*_broadcast(q, k, v, mask), is_causal, beta).astype(dtype, copy=False)
    weights = _weights(q, k, np.tri(n_q, n, dtype=np.bool_) if is_causal else mask, beta)
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

    Dao et al. (2022), "FlashAttention", appendix B.2: with P the weights and G = grad, dV = Pᵀ G,
    dP = G Vᵀ, dS = P ∘ (dP - rowsum(P ∘ dP)), dQ = β dS K, dK = β dSᵀ Q.

    Parameters
    ----------
    query, key, value, attn_mask, is_causal, scale
        As for `scaled_dot_product_attention`.
    grad : array_like
        The gradient to the output, ``(..., n_q, d_v)``.

    Returns
    -------
    grad_query, grad_key, grad_value : ndarray
        Each has the shape of its input (summed over the leading axes that were broadcast) and
        dtype ``result_type(query, key, value)``.

    Examples
    --------
    >>> query, key, value = np.zeros((1, 1)), np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> scaled_dot_product_attention_vjp(query, key, value, [[1.0]])[0]  # p (1 - p) · 4
    array([[1.]])
    """
    q, k, v, beta, dtype = _inputs(query, key, value, scale)
    shapes = q.shape, k.shape, v.shape
    q, k, v, mask = _broadcast(q, k, v, _mask(attn_mask, is_causal, q, k))
    g, expected = as_real(grad, "grad"), (*q.shape[:-1], v.shape[-1])
    if g.shape != expected:
        raise ValueError(f"grad has shape {g.shape} but the output has shape {expected}")
    g = g.astype(q.dtype, copy=False)
    grad_query, grad_key, grad_value = (np.zeros(a.shape, a.dtype) for a in (q, k, v))
    n = k.shape[-2]
    for cut in _cuts(q.shape[:-1], _BLOCK // n * 16):
        keys = slice(0, min(n, cut[-1].stop) if is_causal else n)
        part = (*cut[:-1], keys)
        seen, starts = _seen(mask, is_causal, cut, keys), [axis.start for axis in cut]
        p = _weights(q[cut], k[part], seen, beta, starts)  # (..., rows, keys)
        grad_scores = beta * softmax_vjp(p, g[cut] @ v[part].swapaxes(-1, -2))
        grad_query[cut] = grad_scores @ k[part]
        grad_key[part] += grad_scores.swapaxes(-1, -2) @ q[cut]
        grad_value[part] += p.swapaxes(-1, -2) @ g[cut]
    grads = zip((grad_query, grad_key, grad_value), shapes, strict=True)
    one, two, three = (_sum_to(a, shape).astype(dtype, copy=False) for a, shape in grads)
    return one, two, three


def _in_blocks(
    q: FloatArray, k: FloatArray, v: FloatArray, mask: Mask, causal: bool, beta: float
) -> FloatArray:
    """Return softmax(β q kᵀ + mask) v without holding the logits, (..., n_q, d_v).

    Blocks of keys pass by a block of queries, whose sums are kept in units of e^top: where a block
    of keys has a larger logit, the sums so far shrink by e^(old top - new top). Milakov &
    Gimelshein (2018), algorithm 3; Rabe & Staats (2021), "Self-attention does not need O(n²)
    memory".
    """
    n_q, n = q.shape[-2], k.shape[-2]
    q, beta = (q * beta, 1.0) if beta < 1 else (q, beta)
    step = min(n, max(1, _BLOCK // min(n_q, 512)))  # keys; at n = 16 384 blocks are 512 by 256
    ones, output = np.ones((step, 1), q.dtype), np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    calm = n_q >= 256 and (mask is None or mask.dtype == np.bool_) and _is_calm(q, k, v, beta)
    for cut in _cuts(q.shape[:-1], _BLOCK // step):
        result = np.zeros_like(output[cut])  # (..., rows, d_v)
        total = np.zeros_like(result, shape=(*result.shape[:-1], 1))
        top = np.full_like(total, np.finfo(q.dtype).min)
        end = min(n, cut[-1].stop) if causal else n  # of the keys that these queries see
        for start in range(0, end, step):
            keys = slice(start, min(start + step, end))
            part = (*cut[:-1], keys)
            powers = _logits(q[cut], k[part], _seen(mask, causal, cut, keys), beta)
            if not calm:
                old, top = top, np.maximum(top, powers.max(axis=-1, keepdims=True))
                refuse_infinite(powers, top, _NAME, [axis.start for axis in (*cut, keys)])
                with np.errstate(over="ignore"):  # min - max is -inf, whose exponential is 0
                    powers -= top + math.log(n)  # weights sum to 1 at most, however many
                    shrink = np.exp(old - top)
                total *= shrink
                result *= shrink
            np.exp(powers, out=powers)
            total += powers @ ones[: powers.shape[-1]]  # faster than sum(axis=-1)
            result += powers @ v[part]
        output[cut] = result / np.where(total == 0, 1, total)  # a query without keys: zeros
    return output


def _is_calm(q: FloatArray, k: FloatArray, v: FloatArray, beta: float) -> bool:
    """Return whether e^(β q·k), times v, is far from over- and underflow: |q·k| <= ‖q‖ ‖k‖."""
    with np.errstate(over="ignore"):
        q2, k2 = (float(np.einsum("...d,...d->...", a, a).max()) for a in (q, k))
    usual = (np.abs(v) < 1e20) & ((np.abs(v) > 1e-20) | (v == 0))
    return beta * math.sqrt(q2) * math.sqrt(k2) <= 20 and bool(usual.all())


def _cuts(shape: tuple[int, ...], size: int) -> Iterator[tuple[slice, ...]]:
    """Yield the slices that cut an array of this shape into pieces of about `size` entries."""
    axis = len(shape) - 1
    while axis and math.prod(shape[axis:]) < size:
        axis -= 1
    step = max(1, size // max(1, math.prod(shape[axis + 1 :])))
    rest = [slice(0, length) for length in shape[axis + 1 :]]
    for index in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            piece = slice(start, min(start + step, shape[axis]))
            yield (*(slice(i, i + 1) for i in index), piece, *rest)


def _seen(mask: Mask, causal: bool, cut: tuple[slice, ...], keys: slice) -> Mask:
    """Return the mask of a block of queries, the last slice of `cut`, and keys."""
    first, end = cut[-1].start, cut[-1].stop
    if causal and keys.stop - 1 > first:
        return np.tri(end - first, keys.stop - keys.start, first - keys.start, dtype=np.bool_)
    return None if mask is None else mask[(*cut, keys)]


def _weights(
    q: FloatArray, k: FloatArray, mask: Mask, beta: float, starts: Sequence[int] = ()
) -> FloatArray:
    """Return softmax(β q kᵀ + mask), (..., n_q, n)."""
    logits = _logits(q, k, mask, beta)
    weights, total = exponentials(logits, -1, _NAME, logits, starts)
    weights /= total
    return weights


def _logits(q: FloatArray, k: FloatArray, mask: Mask, beta: float) -> FloatArray:
    """Return β q kᵀ + mask, (..., n_q, n)."""
    with np.errstate(over="ignore", invalid="ignore"):
        logits = q @ k.swapaxes(-1, -2)
    if beta != 1:
        if beta < 1 and not np.isfinite(logits).all():  # scaled first it may be small enough
            logits = (q * beta) @ k.swapaxes(-1, -2)
        else:
            logits *= beta
    if mask is not None and mask.dtype == np.bool_:
        np.copyto(logits, -np.inf, where=~mask)
    elif mask is not None:
        with np.errstate(over="ignore"):  # a float64 mask of -1e300 is -inf in float32
            np.add(logits, mask, out=logits, casting="same_kind")
    return logits


def _broadcast(
    q: FloatArray, k: FloatArray, v: FloatArray, mask: Mask
) -> tuple[FloatArray, FloatArray, FloatArray, Mask]:
    """Return views with all leading axes, the mask as (..., n_q, n)."""
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (q, k, v))
    if mask is not None:
        mask = np.broadcast_to(mask, (*lead, q.shape[-2], k.shape[-2]))
    return q, k, v, mask


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


def _mask(attn_mask: ArrayLike | None, is_causal: bool, q: FloatArray, k: FloatArray) -> Mask:
    """Return the mask as a boolean or float array that broadcasts to the logits."""
    n_q, n = q.shape[-2], k.shape[-2]
    if attn_mask is None:
        return None
    if is_causal:
        raise ValueError("give attn_mask or is_causal=True, not both")
    mask = plain(attn_mask, "attn_mask")
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

    Parameters
    ----------
    query, key : ndarray
        Shape ``(d_model, heads * d_k)``.
    value : ndarray
        Shape ``(d_model, heads * d_v)``.
    output : ndarray
        Shape ``(heads * d_v, d_out)``.
    """

    query: FloatArray
    key: FloatArray
    value: FloatArray
    output: FloatArray


def split_heads(x: ArrayLike, heads: int) -> FloatArray:
    """Cut the last axis into heads and put the heads before the tokens.

    Head i has the columns i·d to (i+1)·d of every token: Vaswani et al. (2017), section 3.2.2.
    ``x.reshape(heads, n, d)`` has the same shape and is wrong: it cuts along the tokens.

    Parameters
    ----------
    x : array_like
        Shape ``(..., n, heads * d)``.
    heads : int
        How many.

    Returns
    -------
    ndarray
        Shape ``(..., heads, n, d)``.

    Examples
    --------
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

    "Concat" in Vaswani et al. (2017), section 3.2.2.

    Parameters
    ----------
    x : array_like
        Shape ``(..., heads, n, d)``.

    Returns
    -------
    ndarray
        Shape ``(..., n, heads * d)``.

    Examples
    --------
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

    Vaswani et al. (2017), section 3.2.2.

    Parameters
    ----------
    x : array_like
        The tokens that ask, ``(..., n_q, d_model)``.
    context : array_like
        The tokens that are asked, ``(..., n, d_model)``; x itself for self-attention.
    projections : Projections
        What makes queries, keys, values and the output.
    heads : int
        How many.
    attn_mask, is_causal, scale, return_weights
        As for `scaled_dot_product_attention`; the mask broadcasts to ``(..., heads, n_q, n)``, and
        d_k in the default scale is the width of one *head*.

    Returns
    -------
    output : ndarray
        Shape ``(..., n_q, d_out)``.
    weights : ndarray
        Shape ``(..., heads, n_q, n)``; only if `return_weights`.

    Examples
    --------
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
