"""Scaled dot-product attention, its gradient, and several heads of it.

Attention(Q, K, V) = softmax(β Q Kᵀ) V: Vaswani et al. (2017), "Attention Is All You Need",
section 3.2.1, equation 1, where β = 1/sqrt(d_k). Arguments mean what they mean in PyTorch.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_helpers._checks import FloatArray, as_real, finite, positive_int
from attn_helpers.weights import exponentials, softmax_vjp

_BOUND = 40.0  # e^±40 and sums of it are far inside the range of float32
_BY_HEAD = 2**17  # logits in one head; from here on, one head at a time is faster
_LARGE = 4096  # logits; with fewer, looking at the bound costs more than it saves


class _Inputs(NamedTuple):
    """Checked arguments; arrays in the dtype the work is done in."""

    query: FloatArray  # (..., n_q, d_k)
    key: FloatArray  # (..., n, d_k)
    value: FloatArray  # (..., n, d_v)
    mask: NDArray[Any] | None  # broadcasts to (..., n_q, n)
    scale: float
    dtype: np.dtype[Any]  # of the result


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
    query : array_like
        Shape ``(..., n_q, d_k)``. Leading axes of the three broadcast.
    key : array_like
        Shape ``(..., n, d_k)``.
    value : array_like
        Shape ``(..., n, d_v)``.
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

    Raises
    ------
    TypeError
        If an input is not real, the mask neither boolean nor float, or `scale` not a number.
    ValueError
        If shapes do not fit, `scale` is negative or not finite, `attn_mask` is given together
        with `is_causal`, or a logit is ``+inf``.

    Notes
    -----
    Vaswani et al. (2017), section 3.2.1, equation 1. Arguments as in
    ``torch.nn.functional.scaled_dot_product_attention`` (without dropout). float16 is computed
    in float32.

    Examples
    --------
    >>> query, key, value = np.eye(2), np.eye(2), np.array([[1.0], [3.0]])
    >>> scaled_dot_product_attention(query, key, value, scale=np.log(3.0))
    array([[1.5],
           [2.5]])
    >>> scaled_dot_product_attention(query, key, value, is_causal=True, scale=np.log(3.0))
    array([[1. ],
           [2.5]])
    """
    x = _inputs(query, key, value, attn_mask, is_causal, scale)
    if return_weights:
        weights, total = _exponentials(x)
        weights /= total
        output = np.matmul(weights, x.value)
        return output.astype(x.dtype, copy=False), weights.astype(x.dtype, copy=False)
    return _output(x).astype(x.dtype, copy=False)


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

    Parameters
    ----------
    query, key, value, attn_mask, is_causal, scale
        As for `scaled_dot_product_attention`.
    grad : array_like
        Gradient of the loss to the output, the shape of the output ``(..., n_q, d_v)``.

    Returns
    -------
    grad_query, grad_key, grad_value : ndarray
        Each the shape of its input (summed over the leading axes that were broadcast), dtype
        ``result_type(query, key, value)``.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention`; also if `grad` does not have the output's shape.

    Notes
    -----
    Dao et al. (2022), "FlashAttention", appendix B.2: with P the weights and G = grad,
    dV = Pᵀ G, dP = G Vᵀ, dS = P ∘ (dP - rowsum(P ∘ dP)), dQ = β dS K, dK = β dSᵀ Q.

    Examples
    --------
    >>> query, key, value = np.zeros((1, 1)), np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> scaled_dot_product_attention_vjp(query, key, value, [[1.0]])[0]  # p (1 - p) · 4
    array([[1.]])
    """
    x = _inputs(query, key, value, attn_mask, is_causal, scale)
    weights, total = _exponentials(x)
    weights /= total  # (..., n_q, n)
    g = as_real(grad, "grad")
    expected = np.broadcast_shapes(weights.shape[:-2], x.value.shape[:-2])
    expected += (weights.shape[-2], x.value.shape[-1])
    if g.shape != expected:
        raise ValueError(f"grad has shape {g.shape} but the output has shape {expected}")
    g = g.astype(weights.dtype, copy=False)
    grad_weights = _sum_to(g @ x.value.swapaxes(-1, -2), weights.shape)
    grad_logits = softmax_vjp(weights, grad_weights)
    grad_logits *= x.scale  # now the gradient to the scores q·k
    grads = (
        (grad_logits @ x.key, x.query),
        (grad_logits.swapaxes(-1, -2) @ x.query, x.key),
        (weights.swapaxes(-1, -2) @ g, x.value),
    )
    one, two, three = (_sum_to(a, b.shape).astype(x.dtype, copy=False) for a, b in grads)
    return one, two, three


def _output(x: _Inputs) -> FloatArray:
    """Return the output, (..., n_q, d_v); large problems go head by head, to stay in the cache."""
    n_q, n = x.query.shape[-2], x.key.shape[-2]
    if n_q * n < _BY_HEAD:
        powers, total = _exponentials(x)
        # Dividing the (n_q, d_v) product, not the (n_q, n) weights, saves a pass over them.
        return np.divide(output := np.matmul(powers, x.value), total, out=output)
    lead = np.broadcast_shapes(*(a.shape[:-2] for a in (x.query, x.key, x.value)))
    query, key, value = (
        np.broadcast_to(a, lead + a.shape[-2:]) for a in (x.query, x.key, x.value)
    )
    mask = None if x.mask is None else np.broadcast_to(x.mask, (*lead, n_q, n))
    output = np.empty((*lead, n_q, value.shape[-1]), value.dtype)
    for i in np.ndindex(lead):
        head_mask = None if mask is None else mask[i]
        head = x._replace(query=query[i], key=key[i], value=value[i], mask=head_mask)
        powers, total = _exponentials(head, f"attention: head {i} of the logits")
        np.matmul(powers, value[i], out=output[i])
        output[i] /= total
    return output


def _exponentials(
    x: _Inputs, name: str = "attention: the matrix of logits"
) -> tuple[FloatArray, FloatArray]:
    """Return exp(logits - row maximum), (..., n_q, n), and its row sums, (..., n_q, 1)."""
    # β goes to the queries or to the scores, whichever are fewer.
    on_query = x.query.shape[-1] < x.key.shape[-2]
    logits = np.matmul(x.query * x.scale if on_query else x.query, x.key.swapaxes(-1, -2))
    if not on_query:
        logits *= x.scale
    if x.mask is not None:
        _apply_mask(logits, x.mask)
    if logits.size < _LARGE or not _is_bounded(x):
        return exponentials(logits, -1, name, out=logits)
    # Nothing can overflow, so the two passes that subtract the row maximum are left out.
    np.exp(logits, out=logits)
    total = np.matmul(logits, np.ones((logits.shape[-1], 1), logits.dtype))
    if x.mask is not None:
        np.copyto(total, 1, where=total == 0)  # fully masked: 0/1 leaves the zeros
    return logits, total


def _is_bounded(x: _Inputs) -> bool:
    """Return whether every logit is within ±_BOUND or masked: |q·k| <= ‖q‖‖k‖ (Cauchy-Schwarz)."""
    if x.mask is not None and x.mask.dtype != np.bool_:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # infinite or NaN: not bounded
        squares = [float(np.einsum("...i,...i->...", a, a).max()) for a in (x.query, x.key)]
    return x.scale**2 * squares[0] * squares[1] <= _BOUND**2


def _apply_mask(logits: FloatArray, mask: NDArray[Any]) -> None:
    """Mask the fresh `logits` in place: False becomes -inf, a float is added."""
    if mask.dtype == np.bool_:
        np.copyto(logits, -np.inf, where=~mask)
        return
    with np.errstate(over="ignore"):  # a float64 mask of -1e300 is -inf in float32
        np.add(logits, mask, out=logits, casting="same_kind")


def _inputs(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None,
    is_causal: bool,
    scale: float | None,
) -> _Inputs:
    q, k, v = as_real(query, "query"), as_real(key, "key"), as_real(value, "value")
    _check_shapes(q, k, v)
    dtype = q.dtype
    if not (dtype == k.dtype == v.dtype):
        dtype = np.result_type(q, k, v)
    work = np.dtype(np.float32) if dtype == np.float16 else dtype
    if not (work == q.dtype == k.dtype == v.dtype):
        q, k, v = (a.astype(work, copy=False) for a in (q, k, v))
    beta = 1 / math.sqrt(q.shape[-1]) if scale is None else finite(scale, "scale", low=0)
    mask = None
    if is_causal or attn_mask is not None:
        mask = _mask(attn_mask, is_causal, q, k)
    return _Inputs(q, k, v, mask, beta, dtype)


def _check_shapes(q: FloatArray, k: FloatArray, v: FloatArray) -> None:
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        shapes = f"query {q.shape}, key {k.shape}, value {v.shape}"
        raise ValueError(f"query, key and value need at least two axes, got shapes {shapes}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query has d_k = {q.shape[-1]} but key has {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"key has n = {k.shape[-2]} but value has {v.shape[-2]}")
    if 0 in k.shape[-2:]:
        raise ValueError(f"key must hold n >= 1 keys with d_k >= 1, got shape {k.shape}")
    leading = q.shape[:-2], k.shape[:-2], v.shape[:-2]
    if leading[0] == leading[1] == leading[2]:
        return
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise ValueError(
            f"leading axes do not broadcast: query {leading[0]}, key {leading[1]}, "
            f"value {leading[2]}"
        ) from None


def _mask(
    attn_mask: ArrayLike | None, is_causal: bool, q: FloatArray, k: FloatArray
) -> NDArray[Any]:
    """Return the mask as a boolean or float array that broadcasts to the logits."""
    n_q, n = q.shape[-2], k.shape[-2]
    if attn_mask is None:
        return np.tri(n_q, n, dtype=np.bool_)
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

    Attributes
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

    Parameters
    ----------
    x : array_like
        Shape ``(..., n, heads * d)``.
    heads : int
        Number of heads; it divides the last axis.

    Returns
    -------
    ndarray
        Shape ``(..., heads, n, d)``: head i has the columns i·d to (i+1)·d of every token.

    Raises
    ------
    TypeError
        If `x` is not real, or `heads` not an integer.
    ValueError
        If `x` has fewer than two axes, or `heads` does not divide the last one.

    Notes
    -----
    Vaswani et al. (2017), section 3.2.2. ``x.reshape(heads, n, d)`` has the same shape and is
    wrong: it cuts along the tokens.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], heads=2)
    array([[[1., 2.],
            [5., 6.]],
    <BLANKLINE>
           [[3., 4.],
            [7., 8.]]])
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

    Parameters
    ----------
    x : array_like
        Shape ``(..., heads, n, d)``.

    Returns
    -------
    ndarray
        Shape ``(..., n, heads * d)``.

    Raises
    ------
    TypeError
        If `x` is not real.
    ValueError
        If `x` has fewer than three axes.

    Notes
    -----
    "Concat" in Vaswani et al. (2017), section 3.2.2.

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

    Parameters
    ----------
    x : array_like
        The tokens that ask, shape ``(..., n_q, d_model)``.
    context : array_like
        The tokens that are asked, shape ``(..., n, d_model)``; `x` itself for self-attention.
    projections : Projections
        The four matrices.
    heads : int
        Number of heads.
    attn_mask : array_like, optional
        Broadcasts to ``(..., heads, n_q, n)``; as for `scaled_dot_product_attention`.
    is_causal : bool
        Query i may attend to keys 0..i.
    scale : float, optional
        β. Default ``d_k ** -0.5`` with ``d_k`` the width of one *head*.
    return_weights : bool
        Also return the weights.

    Returns
    -------
    output : ndarray
        Shape ``(..., n_q, d_out)``.
    weights : ndarray
        Shape ``(..., heads, n_q, n)``; only if `return_weights`.

    Raises
    ------
    TypeError, ValueError
        As `split_heads` and `scaled_dot_product_attention`; ValueError if a matrix does not fit.

    Notes
    -----
    Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> x, one = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]
    >>> multi_head_attention(x, x, Projections(one, one, one, one), heads=2, scale=0.0)
    array([[2., 3.],
           [2., 3.]])
    """
    tokens, asked = as_real(x, "x"), as_real(context, "context")
    weights = Projections(*(as_real(w, f"projections.{name}") for name, w in _named(projections)))
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


def _named(projections: Projections) -> list[tuple[str, FloatArray]]:
    if len(projections) != 4:
        raise ValueError(f"projections must hold four matrices, got {len(projections)}")
    return list(zip(Projections._fields, projections, strict=True))


def _check_fit(x: FloatArray, context: FloatArray, weights: Projections) -> None:
    for name, w in _named(weights):
        if w.ndim != 2:
            raise ValueError(f"projections.{name} must be a matrix, got shape {w.shape}")
    if x.ndim < 2 or context.ndim < 2:
        raise ValueError(f"x {x.shape} and context {context.shape} need at least two axes")
    meetings = (
        ("x", x, "query", weights.query),
        ("context", context, "key", weights.key),
        ("context", context, "value", weights.value),
        ("projections.value", weights.value, "output", weights.output),
    )
    for left, a, right, b in meetings:
        if a.shape[-1] != b.shape[0]:
            raise ValueError(f"{left} {a.shape} does not fit projections.{right} {b.shape}")
