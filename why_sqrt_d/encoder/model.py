"""The encoder: its sizes and scale, how its parameters are drawn, its two passes.

The model of Lippe's "Tutorial 6: Transformers and Multi-Head Attention": a linear embedding with
sines for positions, one block of post-norm attention with one head and a feed-forward part of
twice the width, and two linear layers for the answer. All parameters lie in one flat vector.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from attn_helpers.checks import FloatArray, finite, positive_int
from why_sqrt_d.encoder.layers import (
    Cache,
    IntArray,
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

BLOCK = 640  # tokens worked on at a time: their arrays fit into a processor's cache
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class EncoderSettings:
    """What fixes the model: how many different tokens, how long a string, which scale β.

    The model dimension d equals `length`; β is `scale`, by default d^-1/2.

    >>> settings = EncoderSettings(vocabulary=10, length=16)
    >>> settings.beta, settings.parameter_count
    (0.25, 2874)
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
        """How many parameters there are; every layer has a weight and a bias."""
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
    """Return parameters drawn as the tutorial draws them, shape (settings.parameter_count,).

    Attention: Xavier-uniform (Glorot & Bengio 2010, equation 16: ± sqrt(6 / (inputs + outputs))),
    qkv as one (3d, d) matrix, biases zero. Norms: one and zero. Other layers, weight and bias:
    uniform in ±1/sqrt(inputs), the default of ``torch.nn.Linear``. `dtype` is float32 or float64;
    one seed gives the same draw, rounded, in both.
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
    params: FloatArray, tokens: ArrayLike, settings: EncoderSettings
) -> tuple[FloatArray, Cache]:
    """Return the logits, (batch, n, vocabulary), and what the backward pass needs.

    Of the latter ``"weights"`` is (keys, batch, queries). `params` is flat, of float32 or float64,
    and sets the dtype of the work; `tokens` are integers, (batch, n) with n the length in
    `settings`.

    >>> settings = EncoderSettings(vocabulary=5, length=3)
    >>> params = initialise(settings, np.random.default_rng(0))
    >>> logits, cache = forward(params, [[0, 4, 1], [2, 2, 3]], settings)
    >>> logits.shape, cache["weights"].shape
    ((2, 3, 5), (3, 2, 3))
    """
    strings, room = _checked_strings(tokens, settings, "token"), Workspace(params.dtype)
    logits = _forward(settings.views(params), strings, settings.beta, room)
    return logits.T.reshape(*strings.shape, settings.vocabulary), room.kept


def loss_and_gradient(
    params: FloatArray, tokens: ArrayLike, targets: ArrayLike, settings: EncoderSettings
) -> tuple[float, float, FloatArray]:
    """Return the mean cross-entropy, the accuracy, and the gradient of the loss to `params`.

    The accuracy is the share of positions where no logit is above the target's. `params`, `tokens`
    and `settings` are as for `forward`; `targets`, (batch, n), are the right answers. With all
    parameters zero every token is equally likely.

    >>> settings = EncoderSettings(vocabulary=2, length=3)
    >>> zeros = np.zeros(settings.parameter_count)
    >>> loss, accuracy, gradient = loss_and_gradient(zeros, [[0, 1, 1]], [[1, 1, 0]], settings)
    >>> round(loss, 6), gradient.shape == zeros.shape
    (0.693147, True)
    """
    views, strings = settings.views(params), _checked_strings(tokens, settings, "token")
    wanted = _checked_strings(targets, settings, "target")
    if wanted.shape != strings.shape:
        raise ValueError(f"targets have shape {wanted.shape} but tokens have {strings.shape}")
    gradient, part = np.zeros_like(params), np.zeros_like(params)
    room, part_views = Workspace(params.dtype), settings.views(part)
    inputs = np.empty((settings.length, *strings.shape), params.dtype)  # the gradient to them
    loss, right, size = 0.0, 0, max(1, BLOCK // settings.length)
    for first in range(0, len(strings), size):
        rows = slice(first, first + size)
        logits = _forward(views, strings[rows], settings.beta, room)
        lost, hits, g = cross_entropy(logits, wanted[rows].ravel(), strings.size)
        inputs[:, rows] = _backward(g, settings.beta, views, part_views, room)
        gradient += part
        loss, right = loss + lost, right + hits
    _embedding_back(inputs.reshape(settings.length, -1), strings, settings.views(gradient), room)
    return loss / strings.size, right / strings.size, gradient


def _forward(p: Views, strings: IntArray, beta: float, room: Workspace) -> FloatArray:
    """Return the logits, (vocabulary, T); keep each layer's input by the layer's name."""
    batch, d = strings.shape
    x = room.array("embedded", d, strings.size)
    # A one-hot picks its column of the weight: (d, T). The tokens were checked.
    np.take(p["input.weight"], strings.ravel(), axis=1, out=x, mode="clip")
    start = p["input.bias"][:, None] + positions(d, room.dtype)  # (d, n)
    by_string = x.reshape(d, batch, d)
    by_string += start[:, None]
    qkv = linear("qkv", x, p, room)  # (3d, T)
    h = linear("projection", attend(qkv, batch, beta, room), p, room)  # (d, T)
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


def _checked_strings(tokens: ArrayLike, settings: EncoderSettings, name: str) -> IntArray:
    """Return `tokens` checked: integers of the vocabulary, (batch, n)."""
    array, vocabulary = np.asarray(tokens), settings.vocabulary
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}s must be integers, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[1] != settings.length or not len(array):
        wanted = f"(batch, {settings.length}) with batch >= 1"
        raise ValueError(f"{name}s must have shape {wanted}, got {array.shape}")
    for value in (int(array.min()), int(array.max())):
        if not 0 <= value < vocabulary:
            outside = f"is outside the vocabulary of {vocabulary}"
            raise ValueError(f"{name} {value} {outside} (0 to {vocabulary - 1})")
    return array.astype(np.intp, copy=False)
