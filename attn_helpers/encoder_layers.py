"""The encoder's layers, each with its backward pass; arrays hold features first, see `encoder`."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers._validate import FloatArray
from attn_helpers.softmax import exponentials, softmax_vjp

_EPSILON = 1e-5  # under the square root of LayerNorm, as PyTorch
IntArray = NDArray[np.integer[Any]]
Views = dict[str, FloatArray]
Cache = dict[str, FloatArray]  # a layer's input under its name; a norm's x̂
Mask = NDArray[Any] | None  # (keys, batch, queries)


def linear(layer: str, x: FloatArray, p: Views) -> FloatArray:
    """Return W x + b, (out, T)."""
    y = p[f"{layer}.weight"] @ x
    y += p[f"{layer}.bias"][:, None]
    return y


def linear_back(layer: str, g: FloatArray, c: Cache, p: Views, out: Views) -> FloatArray:
    """Store the gradients g xᵀ of W and rowsum(g) of b; return that to x, Wᵀ g, (in, T)."""
    np.matmul(g, c[layer].T, out=out[f"{layer}.weight"])
    np.sum(g, axis=1, out=out[f"{layer}.bias"])
    return p[f"{layer}.weight"].T @ g


def relu(x: FloatArray) -> FloatArray:
    """Return max(x, 0), in place."""
    return np.maximum(x, 0, out=x)


def norm(layer: str, x: FloatArray, p: Views, c: Cache) -> FloatArray:
    """Return w ∘ (x - mean) / sqrt(variance + ε) + b, (d, T): Ba, Kiros & Hinton (2016)."""
    centred = x - x.mean(axis=0)
    inverse = 1 / np.sqrt((centred * centred).mean(axis=0) + _EPSILON)  # (T,)
    centred *= inverse
    c[layer], c[f"{layer}.inverse"] = centred, inverse
    return centred * p[f"{layer}.weight"][:, None] + p[f"{layer}.bias"][:, None]


def norm_back(layer: str, g: FloatArray, c: Cache, p: Views, out: Views) -> FloatArray:
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


def attend(qkv: FloatArray, batch: int, beta: float, mask: Mask) -> tuple[FloatArray, FloatArray]:
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


def attend_back(g: FloatArray, weights: FloatArray, qkv: FloatArray, beta: float) -> FloatArray:
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


def cross_entropy(logits: FloatArray, targets: IntArray) -> tuple[float, float, FloatArray]:
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
def positions(d: int, dtype: np.dtype[Any]) -> FloatArray:
    """Return sin and cos of position / 10000^(2i/d) by turns, (d, n = d): Vaswani, section 3.5."""
    i, position = np.ogrid[:d, :d]
    angle = position / 10000.0 ** ((i - i % 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)
