"""The encoder's layers, each with its backward pass.

Arrays hold features first: (features, T), T the tokens of a block of strings.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attn_helpers.checks import FloatArray
from attn_helpers.weights import exponentials

_EPSILON = 1e-5  # under the square root of LayerNorm, as PyTorch
IntArray = NDArray[np.integer[Any]]
Views = dict[str, FloatArray]
Cache = dict[str, FloatArray]  # a layer's input under its name; a norm's x̂


class Workspace:
    """The arrays of one block of tokens, which the next block uses again.

    New arrays of this size would come from the operating system and go back to it each time, and
    that costs as much as the arithmetic.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.kept: Cache = {}
        self._arrays: dict[tuple[str, tuple[int, ...]], FloatArray] = {}

    def array(self, name: str, *shape: int) -> FloatArray:
        """Return the array of this name and shape, with whatever it held before."""
        key = name, shape
        if key not in self._arrays:
            self._arrays[key] = np.empty(shape, self.dtype)
        return self._arrays[key]

    def full(self, value: float, *shape: int) -> FloatArray:
        """Return an array that holds one value; it is for reading only."""
        key = str(value), shape
        if key not in self._arrays:
            self._arrays[key] = np.full(shape, value, self.dtype)
        return self._arrays[key]


def linear(layer: str, x: FloatArray, p: Views, room: Workspace) -> FloatArray:
    """Return W x + b, (out, T)."""
    room.kept[layer] = x
    weight = p[f"{layer}.weight"]
    y = np.matmul(weight, x, out=room.array(layer, len(weight), x.shape[1]))
    y += p[f"{layer}.bias"][:, None]
    return y


def linear_back(layer: str, g: FloatArray, p: Views, out: Views, room: Workspace) -> FloatArray:
    """Store the gradients g xᵀ of W and rowsum(g) of b; return that to x, Wᵀ g, (in, T)."""
    x, weight = room.kept[layer], p[f"{layer}.weight"]
    np.matmul(g, x.T, out=out[f"{layer}.weight"])
    row_sums(g, room, out[f"{layer}.bias"])
    return np.matmul(weight.T, g, out=room.array(f"to {layer}", *x.shape))


def row_sums(g: FloatArray, room: Workspace, out: FloatArray) -> None:
    """Sum over tokens; as a product with ones it is several times faster than `np.sum`."""
    np.matmul(g, room.full(1, g.shape[1]), out=out)


def relu(x: FloatArray, room: Workspace) -> FloatArray:
    """Return max(x, 0), in place; NumPy is faster with an array of zeros than with the number."""
    return np.maximum(x, room.full(0, *x.shape), out=x)


def norm(layer: str, x: FloatArray, p: Views, room: Workspace) -> FloatArray:
    """Return w ∘ x̂ + b, x̂ = (x - mean) / sqrt(variance + ε): Ba, Kiros & Hinton (2016).

    x̂ takes the place of `x`.
    """
    average = room.full(1 / len(x), len(x))  # times a matrix: its column means
    y = room.array(layer, *x.shape)
    x -= average @ x
    inverse = average @ np.multiply(x, x, out=y)  # (T,)
    inverse += _EPSILON
    np.divide(1, np.sqrt(inverse, out=inverse), out=inverse)
    x *= inverse
    room.kept[layer], room.kept[f"{layer}.inverse"] = x, inverse
    np.multiply(x, p[f"{layer}.weight"][:, None], out=y)
    y += p[f"{layer}.bias"][:, None]
    return y


def norm_back(layer: str, g: FloatArray, p: Views, out: Views, room: Workspace) -> FloatArray:
    """Store the gradients of w and b; return that to x, (d, T), in the place of `g`.

    With h = w ∘ g it is (h - mean(h) - x̂ mean(h ∘ x̂)) / sqrt(variance + ε).
    """
    x, weight = room.kept[layer], p[f"{layer}.weight"]
    product = np.multiply(g, x, out=room.array(f"to {layer}", *x.shape))
    row_sums(product, room, out[f"{layer}.weight"])
    row_sums(g, room, out[f"{layer}.bias"])
    share = weight / len(weight)
    mean, inner = share @ g, share @ product  # (T,) each
    g *= weight[:, None]
    g -= mean
    g -= np.multiply(x, inner, out=product)
    g *= room.kept[f"{layer}.inverse"]
    return g


def attend(qkv: FloatArray, batch: int, beta: float, room: Workspace) -> FloatArray:
    """Return v softmax(β kᵀq), (d, T); keep the weights, (keys, batch, queries)."""
    query, key, value = _split(qkv, batch)  # (batch, d, n) each
    d, n = query.shape[1:]
    scaled = room.array("scaled", d, batch, n).swapaxes(0, 1)
    np.multiply(query, beta, out=scaled)
    weights = room.array("weights", n, batch, n)
    np.matmul(key.swapaxes(1, 2), scaled, out=weights.swapaxes(0, 1))
    weights, total = exponentials(weights, 0, "encoder: the logits", out=weights)
    weights *= np.divide(1, total, out=total)
    room.kept["weights"], room.kept["attention"] = weights, qkv
    context = room.array("context", d, batch, n)
    np.matmul(value, weights.swapaxes(0, 1), out=context.swapaxes(0, 1))
    return context.reshape(d, -1)


def attend_back(g: FloatArray, beta: float, room: Workspace) -> FloatArray:
    """Return the gradient to qkv, (3d, T): Dao et al. (2022), appendix B.2."""
    weights, qkv = room.kept["weights"], room.kept["attention"]
    batch, out = weights.shape[1], room.array("to attention", *qkv.shape)
    query, key, value = _split(qkv, batch)  # (batch, d, n) each
    grad_query, grad_key, grad_value = _split(out, batch)
    g = g.reshape(len(g), batch, -1).swapaxes(0, 1)  # (batch, d, queries)
    np.matmul(g, weights.transpose(1, 2, 0), out=grad_value)
    grad = room.array("to weights", *weights.shape)
    np.matmul(value.swapaxes(1, 2), g, out=grad.swapaxes(0, 1))  # dP
    grad *= weights
    grad -= np.multiply(weights, grad.sum(axis=0), out=weights)  # dS = P ∘ dP - P sum(P ∘ dP)
    scores = grad.swapaxes(0, 1)  # (batch, keys, queries)
    np.matmul(key, scores, out=grad_query)
    np.matmul(query, scores.swapaxes(1, 2), out=grad_key)
    out[: -len(out) // 3] *= beta  # the logits are β times the scores
    return out


def _split(qkv: FloatArray, batch: int) -> FloatArray:
    """Return views of query, key and value string by string: (3, batch, d, n)."""
    return qkv.reshape(3, len(qkv) // 3, batch, -1).swapaxes(1, 2)


def cross_entropy(
    logits: FloatArray, targets: IntArray, count: int
) -> tuple[float, int, FloatArray]:
    """Return the sum of losses, how many are right, and the gradient of the loss over `count`.

    The gradient (softmax - one-hot) / count, (vocabulary, T), takes the place of `logits`.
    """
    logits -= logits.max(axis=0)
    at = targets * logits.shape[1] + np.arange(len(targets))  # in the flat array
    flat = logits.reshape(-1)
    picked = flat[at]  # (T,), 0 where no logit is above the target's
    np.exp(logits, out=logits)
    total = logits.sum(axis=0)  # (T,)
    loss = np.log(total).sum(dtype=np.float64) - picked.sum(dtype=np.float64)
    logits *= 1 / (total * count)
    flat[at] -= logits.dtype.type(1 / count)
    return float(loss), int(np.count_nonzero(picked == 0)), logits


@lru_cache(maxsize=16)
def positions(d: int, dtype: np.dtype[Any]) -> FloatArray:
    """Return sin and cos of position / 10000^(2i/d) by turns, (d, n = d): Vaswani, section 3.5."""
    i, position = np.ogrid[:d, :d]
    angle = position / 10000.0 ** ((i - i % 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)
