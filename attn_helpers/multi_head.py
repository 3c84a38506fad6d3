"""Multi-head attention: several attentions side by side on slices of the model's width.

Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2. With d_model the width and h
heads, each head works in d_k = d_model / h dimensions, so the scale is 1/sqrt(d_model / h).
"""

from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from attn_helpers._validate import FloatArray, as_real, positive_int
from attn_helpers.attention import scaled_dot_product_attention


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
