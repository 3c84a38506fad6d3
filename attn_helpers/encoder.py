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

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from attn_helpers._validate import FloatArray, finite, positive_int
from attn_helpers.encoder_inputs import checked_mask, checked_strings
from attn_helpers.encoder_layers import (
    Cache,
    IntArray,
    Mask,
    Views,
    attend,
    attend_back,
    cross_entropy,
    linear,
    linear_back,
    norm,
    norm_back,
    positions,
    relu,
)

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class EncoderSettings:
    """What fixes the model: how many different tokens, how long a string, which scale β.

    The model dimension d equals `length`; β is `scale`, by default d^-1/2.
    """

    vocabulary: int
    length: int
    scale: float | None = None

    def __post_init__(self) -> None:
        positive_int(self.vocabulary, "vocabulary")
        positive_int(self.length, "length")
        if self.scale is not None:
            finite(self.scale, "scale", low=0)

    @property
    def beta(self) -> float:
        """The scale β that multiplies the scores q·k."""
        return 1 / math.sqrt(self.length) if self.scale is None else float(self.scale)

    @property
    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape (out, in) of each layer's weight, (d,) for a norm; a bias is (out,)."""
        d = self.length
        return {
            "input": (d, self.vocabulary),
            "qkv": (3 * d, d),
            "projection": (d, d),
            "norm1": (d,),
            "widen": (2 * d, d),
            "narrow": (d, 2 * d),
            "norm2": (d,),
            "hidden": (d, d),
            "norm3": (d,),
            "output": (self.vocabulary, d),
        }

    @property
    def parameter_count(self) -> int:
        """The number of parameters: every layer has a weight and a bias."""
        return sum(math.prod(shape) + shape[0] for shape in self.weight_shapes.values())

    def views(self, params: FloatArray) -> Views:
        """Return the parts of a flat vector, ``"qkv.weight"`` (3d, d), ``"qkv.bias"`` (3d,) ..."""
        if params.dtype not in _FLOATS:
            raise TypeError(f"params must be float32 or float64, got dtype {params.dtype}")
        if params.shape != (self.parameter_count,):
            expected = (self.parameter_count,)
            raise ValueError(f"params has shape {params.shape} but the model needs {expected}")
        views, start = {}, 0
        for layer, shape in self.weight_shapes.items():
            for name, part in ((f"{layer}.weight", shape), (f"{layer}.bias", shape[:1])):
                stop = start + math.prod(part)
                views[name] = params[start:stop].reshape(part)
                start = stop
        return views


def initialise(
    settings: EncoderSettings, rng: np.random.Generator, dtype: DTypeLike = np.float64
) -> FloatArray:
    """Return parameters drawn as the tutorial's model draws them.

    Parameters
    ----------
    settings : EncoderSettings
        The model.
    rng : numpy.random.Generator
        Where the numbers come from; one seed gives the same draw, rounded, in both dtypes.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    ndarray
        Shape ``(settings.parameter_count,)``. Attention: Xavier-uniform, qkv as one (3d, d)
        matrix, biases zero. Norms: one and zero. Other layers, weight and bias: uniform in
        ±1/sqrt(inputs), the default of ``torch.nn.Linear``.

    Raises
    ------
    TypeError
        If `dtype` is neither float32 nor float64.

    Notes
    -----
    Glorot & Bengio (2010), equation 16: the bound is sqrt(6 / (inputs + outputs)).

    Examples
    --------
    >>> initialise(EncoderSettings(vocabulary=10, length=20), np.random.default_rng(0)).shape
    (4310,)
    """
    if np.dtype(dtype) not in _FLOATS:
        raise TypeError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    params = np.zeros(settings.parameter_count)
    views = settings.views(params)
    for layer, shape in settings.weight_shapes.items():
        weight, bias = views[f"{layer}.weight"], views[f"{layer}.bias"]
        if layer.startswith("norm"):
            weight[...] = 1
        elif layer in ("qkv", "projection"):
            bound = math.sqrt(6 / sum(shape))
            weight[...] = rng.uniform(-bound, bound, shape)
        else:
            bound = 1 / math.sqrt(shape[1])
            weight[...] = rng.uniform(-bound, bound, shape)
            bias[...] = rng.uniform(-bound, bound, shape[0])
    return params.astype(dtype)


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
    >>> settings = EncoderSettings(vocabulary=5, length=3)
    >>> params = initialise(settings, np.random.default_rng(0))
    >>> logits, cache = forward(params, [[0, 4, 1], [2, 2, 3]], settings)
    >>> logits.shape, cache["weights"].shape
    ((2, 3, 5), (3, 2, 3))
    """
    views = settings.views(params)
    strings = checked_strings(tokens, settings.vocabulary, settings.length, "token")
    logits, cache = _forward(views, strings, settings.beta, checked_mask(attn_mask, strings.shape))
    return logits.T.reshape(*strings.shape, settings.vocabulary), cache


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
    logits, cache = _forward(views, strings, settings.beta, checked_mask(attn_mask, strings.shape))
    loss, accuracy, grad = cross_entropy(logits, wanted.ravel())
    gradient = np.empty_like(params)
    _backward(grad, cache, strings, settings.beta, views, settings.views(gradient))
    return loss, accuracy, gradient


def _forward(p: Views, strings: IntArray, beta: float, mask: Mask) -> tuple[FloatArray, Cache]:
    """Return the logits, (vocabulary, T), and each layer's input by the layer's name."""
    d = strings.shape[1]
    c: Cache = {}
    start = p["input.bias"][:, None] + positions(d, p["input.bias"].dtype)  # (d, n)
    # A one-hot picks its column of the weight: (d, batch, n).
    embedded: FloatArray = p["input.weight"][:, strings]
    embedded += start[:, None]
    c["qkv"] = embedded.reshape(d, -1)  # (d, T)
    c["attention"] = linear("qkv", c["qkv"], p)  # (3d, T)
    c["weights"], c["projection"] = attend(c["attention"], len(strings), beta, mask)
    h: FloatArray = c["qkv"] + linear("projection", c["projection"], p)  # (d, T)
    c["widen"] = norm("norm1", h, p, c)  # (d, T)
    c["narrow"] = relu(linear("widen", c["widen"], p))  # (2d, T)
    h = c["widen"] + linear("narrow", c["narrow"], p)  # (d, T)
    c["hidden"] = norm("norm2", h, p, c)  # (d, T)
    h = linear("hidden", c["hidden"], p)  # (d, T)
    c["output"] = relu(norm("norm3", h, p, c))  # (d, T)
    return linear("output", c["output"], p), c


def _backward(
    g: FloatArray, c: Cache, strings: IntArray, beta: float, p: Views, out: Views
) -> None:
    """Fill `out` with the gradient; `g` is the loss's gradient to the logits, (vocabulary, T)."""
    g = linear_back("output", g, c, p, out)  # (d, T)
    g = norm_back("norm3", g * (c["output"] > 0), c, p, out)
    g = linear_back("hidden", g, c, p, out)
    g = norm_back("norm2", g, c, p, out)
    wide = linear_back("narrow", g, c, p, out)  # (2d, T)
    g += linear_back("widen", wide * (c["narrow"] > 0), c, p, out)
    g = norm_back("norm1", g, c, p, out)
    context = linear_back("projection", g, c, p, out)
    qkv = attend_back(context, c["weights"], c["attention"], beta)  # (3d, T)
    g += linear_back("qkv", qkv, c, p, out)
    np.sum(g, axis=1, out=out["input.bias"])
    # g times one-hotᵀ: each column of g is added to its token's column.
    for row, part in zip(out["input.weight"], g, strict=True):
        row[...] = np.bincount(strings.ravel(), part, minlength=len(row))
