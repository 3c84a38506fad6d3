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
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attn_helpers._validate import FloatArray, finite, positive_int
from attn_helpers.softmax import exponentials, softmax_vjp

_EPSILON = 1e-5  # under the square root of LayerNorm, as PyTorch
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
IntArray = NDArray[np.integer[Any]]
Views = dict[str, FloatArray]
Cache = dict[str, FloatArray]  # a layer's input under its name; a norm's x̂
Mask = NDArray[Any] | None  # (keys, batch, queries)


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
    strings = _strings(tokens, settings, "token")
    logits, cache = _forward(views, strings, settings.beta, _mask(attn_mask, strings.shape))
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
    strings = _strings(tokens, settings, "token")
    wanted = _strings(targets, settings, "target")
    if wanted.shape != strings.shape:
        raise ValueError(f"targets have shape {wanted.shape} but tokens have {strings.shape}")
    logits, cache = _forward(views, strings, settings.beta, _mask(attn_mask, strings.shape))
    loss, accuracy, grad = _cross_entropy(logits, wanted.ravel())
    gradient = np.empty_like(params)
    _backward(grad, cache, strings, settings.beta, views, settings.views(gradient))
    return loss, accuracy, gradient


def _forward(p: Views, strings: IntArray, beta: float, mask: Mask) -> tuple[FloatArray, Cache]:
    """Return the logits, (vocabulary, T), and each layer's input by the layer's name."""
    d = strings.shape[1]
    c: Cache = {}
    start = p["input.bias"][:, None] + _positions(d, p["input.bias"].dtype)  # (d, n)
    embedded: FloatArray = p["input.weight"][
        :, strings
    ]  # (d, batch, n): a one-hot picks its column
    embedded += start[:, None]
    c["qkv"] = embedded.reshape(d, -1)  # (d, T)
    c["attention"] = _linear("qkv", c["qkv"], p)  # (3d, T)
    c["weights"], c["projection"] = _attend(c["attention"], len(strings), beta, mask)
    h: FloatArray = c["qkv"] + _linear("projection", c["projection"], p)  # (d, T)
    c["widen"] = _norm("norm1", h, p, c)  # (d, T)
    c["narrow"] = _relu(_linear("widen", c["widen"], p))  # (2d, T)
    h = c["widen"] + _linear("narrow", c["narrow"], p)  # (d, T)
    c["hidden"] = _norm("norm2", h, p, c)  # (d, T)
    h = _linear("hidden", c["hidden"], p)  # (d, T)
    c["output"] = _relu(_norm("norm3", h, p, c))  # (d, T)
    return _linear("output", c["output"], p), c


def _backward(
    g: FloatArray, c: Cache, strings: IntArray, beta: float, p: Views, out: Views
) -> None:
    """Fill `out` with the gradient; `g` is the loss's gradient to the logits, (vocabulary, T)."""
    g = _linear_back("output", g, c, p, out)  # (d, T)
    g = _norm_back("norm3", g * (c["output"] > 0), c, p, out)
    g = _linear_back("hidden", g, c, p, out)
    g = _norm_back("norm2", g, c, p, out)
    wide = _linear_back("narrow", g, c, p, out)  # (2d, T)
    g += _linear_back("widen", wide * (c["narrow"] > 0), c, p, out)
    g = _norm_back("norm1", g, c, p, out)
    context = _linear_back("projection", g, c, p, out)
    qkv = _attend_back(context, c["weights"], c["attention"], beta)  # (3d, T)
    g += _linear_back("qkv", qkv, c, p, out)
    np.sum(g, axis=1, out=out["input.bias"])
    # g times one-hotᵀ: each column of g is added to its token's column.
    for row, part in zip(out["input.weight"], g, strict=True):
        row[...] = np.bincount(strings.ravel(), part, minlength=len(row))


def _linear(layer: str, x: FloatArray, p: Views) -> FloatArray:
    """Return W x + b, (out, T)."""
    y = p[f"{layer}.weight"] @ x
    y += p[f"{layer}.bias"][:, None]
    return y


def _linear_back(layer: str, g: FloatArray, c: Cache, p: Views, out: Views) -> FloatArray:
    """Store the gradients g xᵀ of W and rowsum(g) of b; return that to x, Wᵀ g, (in, T)."""
    np.matmul(g, c[layer].T, out=out[f"{layer}.weight"])
    np.sum(g, axis=1, out=out[f"{layer}.bias"])
    return p[f"{layer}.weight"].T @ g


def _relu(x: FloatArray) -> FloatArray:
    return np.maximum(x, 0, out=x)


def _norm(layer: str, x: FloatArray, p: Views, c: Cache) -> FloatArray:
    """Return w ∘ (x - mean) / sqrt(variance + ε) + b, (d, T): Ba, Kiros & Hinton (2016)."""
    centred = x - x.mean(axis=0)
    inverse = 1 / np.sqrt((centred * centred).mean(axis=0) + _EPSILON)  # (T,)
    centred *= inverse
    c[layer], c[f"{layer}.inverse"] = centred, inverse
    return centred * p[f"{layer}.weight"][:, None] + p[f"{layer}.bias"][:, None]


def _norm_back(layer: str, g: FloatArray, c: Cache, p: Views, out: Views) -> FloatArray:
    """Store the gradients of w and b; return that to x, (d, T): g without its mean and x̂ part."""
    x = c[layer]
    np.sum(g * x, axis=1, out=out[f"{layer}.weight"])
    np.sum(g, axis=1, out=out[f"{layer}.bias"])
    g = g * p[f"{layer}.weight"][:, None]
    inner = (g * x).mean(axis=0)
    g -= g.mean(axis=0)
    g -= x * inner
    g *= c[f"{layer}.inverse"]
    return g


def _split(qkv: FloatArray, batch: int) -> FloatArray:
    """Return views of query, key and value string by string: (3, batch, d, n)."""
    return qkv.reshape(3, len(qkv) // 3, batch, -1).swapaxes(1, 2)


def _attend(qkv: FloatArray, batch: int, beta: float, mask: Mask) -> tuple[FloatArray, FloatArray]:
    """Return softmax(β kᵀq) over the keys, (keys, batch, queries), and v softmax, (d, T)."""
    query, key, value = _split(qkv, batch)  # (batch, d, n) each
    n = query.shape[-1]
    weights = np.empty((n, batch, n), qkv.dtype)  # (keys, batch, queries)
    np.matmul(key.swapaxes(1, 2), query * beta, out=weights.swapaxes(0, 1))
    if mask is not None and mask.dtype == np.bool_:
        np.copyto(weights, -np.inf, where=~mask)
    elif mask is not None:
        with np.errstate(over="ignore"):  # a float64 mask of -1e300 is -inf in float32
            np.add(weights, mask, out=weights, casting="same_kind")
    weights, total = exponentials(weights, 0, "encoder: the logits", out=weights)
    weights /= total
    context = np.empty((query.shape[1], batch, n), qkv.dtype)  # (d, batch, queries)
    np.matmul(value, weights.swapaxes(0, 1), out=context.swapaxes(0, 1))
    return weights, context.reshape(len(context), -1)


def _attend_back(g: FloatArray, weights: FloatArray, qkv: FloatArray, beta: float) -> FloatArray:
    """Return the gradient to qkv, (3d, T): Dao et al. (2022), appendix B.2."""
    batch, out = weights.shape[1], np.empty_like(qkv)
    query, key, value = _split(qkv, batch)  # (batch, d, n) each
    g = g.reshape(len(g), batch, -1).swapaxes(0, 1)  # (batch, d, queries)
    grad = np.empty_like(weights)
    np.matmul(value.swapaxes(1, 2), g, out=grad.swapaxes(0, 1))  # dP
    grad = softmax_vjp(weights, grad, axis=0)  # dS = P ∘ (dP - sum(P ∘ dP))
    grad *= beta  # now the gradient to the scores q·k
    scores = grad.swapaxes(0, 1)  # (batch, keys, queries)
    grad_query, grad_key, grad_value = _split(out, batch)
    np.matmul(key, scores, out=grad_query)
    np.matmul(query, scores.swapaxes(1, 2), out=grad_key)
    np.matmul(g, weights.transpose(1, 2, 0), out=grad_value)
    return out


def _cross_entropy(logits: FloatArray, targets: IntArray) -> tuple[float, float, FloatArray]:
    """Return loss, accuracy and (softmax - one-hot) / T, (vocabulary, T), in place of `logits`."""
    columns = np.arange(len(targets))
    logits -= logits.max(axis=0)
    picked = logits[targets, columns]  # (T,), 0 where no logit is above the target's
    np.exp(logits, out=logits)
    total = logits.sum(axis=0)  # (T,)
    loss = (np.log(total) - picked).mean(dtype=np.float64)
    logits /= total
    logits[targets, columns] -= 1
    logits /= len(targets)
    return float(loss), float((picked == 0).mean()), logits


@lru_cache(maxsize=16)
def _positions(d: int, dtype: np.dtype[Any]) -> FloatArray:
    """Return sin and cos of position / 10000^(2i/d) by turns, (d, n = d): Vaswani, section 3.5."""
    i, position = np.ogrid[:d, :d]
    angle = position / 10000.0 ** ((i - i % 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)


def _strings(tokens: ArrayLike, settings: EncoderSettings, name: str) -> IntArray:
    """Return `tokens` checked: integers of the vocabulary, (batch, n)."""
    array = np.asarray(tokens)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}s must be integers, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[1] != settings.length or not len(array):
        wanted = f"(batch, {settings.length}) with batch >= 1"
        raise ValueError(f"{name}s must have shape {wanted}, got {array.shape}")
    for value in (int(array.min()), int(array.max())):
        if not 0 <= value < settings.vocabulary:
            outside = f"is outside the vocabulary of {settings.vocabulary}"
            raise ValueError(f"{name} {value} {outside} (0 to {settings.vocabulary - 1})")
    return array.astype(np.intp, copy=False)


def _mask(attn_mask: ArrayLike | None, strings: tuple[int, ...]) -> Mask:
    """Return the mask as (keys, batch, queries), or None."""
    if attn_mask is None:
        return None
    mask, shape = np.asarray(attn_mask), (*strings, strings[1])
    if mask.dtype.kind not in "bf":
        raise TypeError(f"attn_mask must be boolean or float, got dtype {mask.dtype}")
    try:
        return np.broadcast_to(mask, shape).transpose(2, 0, 1)
    except ValueError:
        raise ValueError(
            f"attn_mask has shape {mask.shape}, which does not broadcast to {shape}"
        ) from None
