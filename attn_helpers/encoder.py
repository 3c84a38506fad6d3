"""A one-block transformer encoder on one flat parameter vector, with its gradient by hand.

The model of Lippe's "Tutorial 6: Transformers and Multi-Head Attention" (UvA Deep Learning
Tutorials), as its reverse task uses it, without dropout and with the scale β free:

    one-hot → linear(d) → + sinusoidal positions
    → h + projection(attention(h)) → norm → h + narrow(relu(widen(h))) → norm
    → linear(d) → norm → relu → linear(vocabulary) → cross-entropy, averaged over positions

The block is that of Vaswani et al. (2017), section 3 (norm after the residual), with one head.

Arrays hold features first: (d, T), where T = batch · n counts tokens. A linear layer reads
W x + b, as on paper, and sums over features run along the outer axis, NumPy's fast one. In the
same way attention weights are (keys, batch, queries).
"""

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._validate import FloatArray
from attn_helpers.encoder_inputs import checked_mask, checked_strings
from attn_helpers.encoder_layers import (
    Cache,
    IntArray,
    Mask,
    Views,
    Workspace,
    attend,
    attend_back,
    cross_entropy,
    linear,
    linear_back,
    norm,
    norm_back,
    positions,
    relu,
    row_sums,
)
from attn_helpers.encoder_settings import EncoderSettings

_BLOCK = 640  # tokens worked on at a time: their arrays fit into a processor's cache


def forward(
    params: FloatArray,
    tokens: ArrayLike,
    settings: EncoderSettings,
    attn_mask: ArrayLike | None = None,
) -> tuple[FloatArray, Cache]:
    """Return the logits of every position, and what the backward pass needs.

    Parameters
    ----------
    params : ndarray
        Shape ``(settings.parameter_count,)``, float32 or float64; sets the dtype of the work.
    tokens : array_like of int
        Shape ``(batch, n)`` with n = ``settings.length``.
    settings : EncoderSettings
        The model.
    attn_mask : array_like, optional
        Broadcasts to ``(batch, n, n)`` (queries, keys). Boolean: True means the query may
        attend to the key. Float: added to the attention's logits.

    Returns
    -------
    logits : ndarray
        Shape ``(batch, n, vocabulary)``.
    cache : dict of str to ndarray
        The arrays along the way; ``cache["weights"]`` is (keys, batch, queries).

    Raises
    ------
    TypeError
        If `params` or `attn_mask` have the wrong dtype or `tokens` are not integers.
    ValueError
        If a shape does not fit the model or a token is outside the vocabulary.

    Examples
    --------
    >>> from attn_helpers.encoder_settings import initialise
    >>> settings = EncoderSettings(vocabulary=5, length=3)
    >>> params = initialise(settings, np.random.default_rng(0))
    >>> logits, cache = forward(params, [[0, 4, 1], [2, 2, 3]], settings)
    >>> logits.shape, cache["weights"].shape
    ((2, 3, 5), (3, 2, 3))
    """
    views = settings.views(params)
    strings = checked_strings(tokens, settings.vocabulary, settings.length, "token")
    mask, room = checked_mask(attn_mask, strings.shape), Workspace(params.dtype)
    logits = _forward(views, strings, settings.beta, mask, room)
    return logits.T.reshape(*strings.shape, settings.vocabulary), room.kept


def loss_and_gradient(
    params: FloatArray,
    tokens: ArrayLike,
    targets: ArrayLike,
    settings: EncoderSettings,
    attn_mask: ArrayLike | None = None,
) -> tuple[float, float, FloatArray]:
    """Return the mean cross-entropy, the accuracy, and the gradient of the loss to `params`.

    Parameters
    ----------
    params, tokens, settings, attn_mask
        As for `forward`.
    targets : array_like of int
        The right answers, shape ``(batch, n)``.

    Returns
    -------
    loss : float
        Minus the mean over all positions of the target's log-probability.
    accuracy : float
        The share of positions where no logit is above the target's.
    gradient : ndarray
        Shape and dtype of `params`.

    Raises
    ------
    TypeError, ValueError
        As `forward`; also if `targets` do not have the shape of `tokens`.

    Examples
    --------
    With all parameters zero every token is equally likely.

    >>> settings = EncoderSettings(vocabulary=2, length=3)
    >>> zeros = np.zeros(settings.parameter_count)
    >>> loss, accuracy, gradient = loss_and_gradient(zeros, [[0, 1, 1]], [[1, 1, 0]], settings)
    >>> round(loss, 6), gradient.shape == zeros.shape
    (0.693147, True)
    """
    views = settings.views(params)
    strings = checked_strings(tokens, settings.vocabulary, settings.length, "token")
    wanted = checked_strings(targets, settings.vocabulary, settings.length, "target")
    if wanted.shape != strings.shape:
        raise ValueError(f"targets have shape {wanted.shape} but tokens have {strings.shape}")
    mask = checked_mask(attn_mask, strings.shape)
    gradient, part = np.zeros_like(params), np.zeros_like(params)
    room, part_views = Workspace(params.dtype), settings.views(part)
    inputs = np.empty((settings.length, *strings.shape), params.dtype)  # the gradient to them
    loss, right, size = 0.0, 0, max(1, _BLOCK // settings.length)
    for first in range(0, len(strings), size):
        rows = slice(first, first + size)
        some = None if mask is None else mask[:, rows]
        logits = _forward(views, strings[rows], settings.beta, some, room)
        lost, hits, g = cross_entropy(logits, wanted[rows].ravel(), strings.size)
        inputs[:, rows] = _backward(g, settings.beta, views, part_views, room)
        gradient += part
        loss, right = loss + lost, right + hits
    _embedding_back(inputs.reshape(settings.length, -1), strings, settings.views(gradient), room)
    return loss / strings.size, right / strings.size, gradient


def _forward(p: Views, strings: IntArray, beta: float, mask: Mask, room: Workspace) -> FloatArray:
    """Return the logits, (vocabulary, T); keep each layer's input by the layer's name."""
    batch, d = strings.shape
    x = room.array("embedded", d, strings.size)
    # A one-hot picks its column of the weight: (d, T). The tokens were checked.
    np.take(p["input.weight"], strings.ravel(), axis=1, out=x, mode="clip")
    start = p["input.bias"][:, None] + positions(d, room.dtype)  # (d, n)
    by_string = x.reshape(d, batch, d)
    by_string += start[:, None]
    qkv = linear("qkv", x, p, room)  # (3d, T)
    h = linear("projection", attend(qkv, batch, beta, mask, room), p, room)  # (d, T)
    h += x
    x = norm("norm1", h, p, room)  # (d, T)
    wide = relu(linear("widen", x, p, room), room)  # (2d, T)
    h = linear("narrow", wide, p, room)  # (d, T)
    h += x
    x = norm("norm2", h, p, room)  # (d, T)
    h = linear("hidden", x, p, room)  # (d, T)
    x = relu(norm("norm3", h, p, room), room)  # (d, T)
    return linear("output", x, p, room)


def _backward(g: FloatArray, beta: float, p: Views, out: Views, room: Workspace) -> FloatArray:
    """Fill `out` with the gradient of all but the input layer; return the one to its output.

    `g` is the loss's gradient to the logits, (vocabulary, T).
    """
    g = linear_back("output", g, p, out, room)  # (d, T)
    g *= room.kept["output"] > 0
    g = norm_back("norm3", g, p, out, room)
    g = linear_back("hidden", g, p, out, room)
    g = norm_back("norm2", g, p, out, room)
    wide = linear_back("narrow", g, p, out, room)  # (2d, T)
    wide *= room.kept["narrow"] > 0
    g += linear_back("widen", wide, p, out, room)
    g = norm_back("norm1", g, p, out, room)
    context = linear_back("projection", g, p, out, room)
    g += linear_back("qkv", attend_back(context, beta, room), p, out, room)
    return g.reshape(len(g), -1, len(g))  # (d, batch, n)


def _embedding_back(g: FloatArray, strings: IntArray, out: Views, room: Workspace) -> None:
    """Store the gradients of the input layer; `g`, (d, T), is the one to its output."""
    row_sums(g, room, out["input.bias"])
    # g times one-hotᵀ: each column of g is added to its token's column.
    for row, part in zip(out["input.weight"], g, strict=True):
        row[...] = np.bincount(strings.ravel(), part, minlength=len(row))
