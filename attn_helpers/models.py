"""Attention rules as published models use them, and what each does to a row of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray, as_real, check_same_shape, finite
from attn_helpers.scales import (
    Constant,
    InverseDim,
    InverseSqrt,
    Learned,
    LengthSteps,
    LogLength,
    RootMeanSquare,
    ScaleRule,
    SoftCap,
    UnitLength,
)
from attn_helpers.weights import entropy, softmax, softmax_vjp


@dataclass(frozen=True)
class AttentionRule:
    """The formula that makes logits from queries and keys, and weights from logits.

    Parameters
    ----------
    scale : callable
        The rule for β, called with d_k and n.
    norm : UnitLength or RootMeanSquare, optional
        Applied to queries and to keys first.
    transform : SoftCap, optional
        Applied to β · scores.
    sink : float, optional
        A further logit that takes weight and has no value: the weights of a row then sum to less
        than one.

    Examples
    --------
    >>> rule = AttentionRule(scale=InverseSqrt())
    >>> rule.logits([[2.0, 0.0, 0.0, 0.0]], [[3.0, 0.0, 0.0, 0.0]])
    array([[3.]])
    """

    scale: ScaleRule = field(default=InverseSqrt())
    norm: UnitLength | RootMeanSquare | None = None
    transform: SoftCap | None = None
    sink: float | None = None

    def __post_init__(self) -> None:
        if self.sink is not None:
            finite(self.sink, "sink")

    def logits(self, query: ArrayLike, key: ArrayLike) -> FloatArray:
        """Return the logits.

        Parameters
        ----------
        query, key : array_like
            Shapes ``(..., n_q, d)`` and ``(..., n, d)``, the same leading axes.

        Returns
        -------
        ndarray
            Shape ``(..., n_q, n)``.
        """
        raw = self._scaled(*self._sized(*_pair(query, key)))
        return raw if self.transform is None else self.transform(raw)

    def weights(self, query: ArrayLike, key: ArrayLike) -> FloatArray:
        """Return the attention weights.

        Parameters
        ----------
        query, key : array_like
            As for `logits`.

        Returns
        -------
        ndarray
            Shape ``(..., n_q, n)``; with a sink, its weight is left out.
        """
        z = self.logits(query, key)
        if self.sink is None:
            return softmax(z)
        column = np.full((*z.shape[:-1], 1), self.sink, dtype=z.dtype)
        return softmax(np.concatenate([z, column], axis=-1))[..., :-1]

    def vjp(
        self, query: ArrayLike, key: ArrayLike, grad: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Return the gradients to query and key.

        Parameters
        ----------
        query, key : array_like
            As for `logits`.
        grad : array_like
            The gradient to the logits, ``(..., n_q, n)``.

        Returns
        -------
        grad_query, grad_key : ndarray
            The shapes of query and key.
        """
        q, k = _pair(query, key)
        sized_q, sized_k = self._sized(q, k)
        raw, g = self._scaled(sized_q, sized_k), as_real(grad, "grad")
        check_same_shape(raw, g, ("logits", "grad"))
        if self.transform is not None:
            g = self.transform.vjp(raw, g)
        g = g * self.scale(q.shape[-1], k.shape[-2])
        grad_q, grad_k = g @ sized_k, g.swapaxes(-1, -2) @ sized_q
        if self.norm is None:
            return grad_q, grad_k
        return self.norm.vjp(q, grad_q), self.norm.vjp(k, grad_k)

    def _sized(self, q: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
        return (q, k) if self.norm is None else (self.norm(q), self.norm(k))

    def _scaled(self, q: FloatArray, k: FloatArray) -> FloatArray:
        return (q @ k.swapaxes(-1, -2)) * self.scale(q.shape[-1], k.shape[-2])


class RuleStatistics(NamedTuple):
    """What a rule makes of given queries and keys, over rows.

    Parameters
    ----------
    logit_std : float
        Root mean square of the standard deviation within a row.
    logit_max : float
        Mean of the largest absolute logit.
    top_weight : float
        Median of the largest weight.
    entropy_share : float
        Mean entropy of the weights divided by ln n.
    gradient_rms : float
        Root mean square of the gradient to the queries.
    """

    logit_std: float
    logit_max: float
    top_weight: float
    entropy_share: float
    gradient_rms: float


def rule_statistics(
    rule: AttentionRule, query: ArrayLike, key: ArrayLike, grad: ArrayLike
) -> RuleStatistics:
    """Measure a rule on queries and keys, and what comes back of a gradient to the weights.

    The gradient to the logits is that of Dao et al. (2022), "FlashAttention", appendix B.2.

    Parameters
    ----------
    rule : AttentionRule
        A sink's own weight counts in the softmax and not in the entropy.
    query, key : array_like
        Shapes ``(..., n_q, d)`` and ``(..., n, d)`` with n >= 2.
    grad : array_like
        The gradient of a loss to the weights, ``(..., n_q, n)``.

    Returns
    -------
    RuleStatistics
        Five numbers.

    Examples
    --------
    >>> one, two = np.ones((1, 4)), np.array([[1.0, 1, 1, 1], [0, 0, 0, 0]])
    >>> found = rule_statistics(AttentionRule(), one, two, np.array([[1.0, 0.0]]))
    >>> found.logit_std, found.logit_max, round(found.top_weight, 3)
    (1.0, 2.0, 0.881)
    """
    z = rule.logits(query, key)
    if z.shape[-1] < 2:
        raise ValueError(f"rule_statistics needs at least two keys, got {z.shape[-1]}")
    p = rule.weights(query, key)
    grad_query, _ = rule.vjp(query, key, softmax_vjp(p, grad))
    return RuleStatistics(
        float(np.sqrt(np.mean(np.var(z, axis=-1)))),
        float(np.mean(np.max(np.abs(z), axis=-1))),
        float(np.median(np.max(p, axis=-1))),
        float(np.mean(entropy(p)) / np.log(z.shape[-1])),
        float(np.sqrt(np.mean(np.square(grad_query)))),
    )


def _pair(query: ArrayLike, key: ArrayLike) -> tuple[FloatArray, FloatArray]:
    q, k = as_real(query, "query"), as_real(key, "key")
    if q.ndim < 2 or k.ndim < 2:
        raise ValueError(f"query {q.shape} and key {k.shape} need at least two axes")
    if q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query {q.shape} and key {k.shape} do not fit")
    return q, k


class RealModel(NamedTuple):
    """One model's formula.

    Parameters
    ----------
    d_k : int
        The width of a head.
    rule : AttentionRule
        From queries to weights.

    Examples
    --------
    >>> model = REAL_MODELS["LLaMA 7B"]
    >>> model.d_k, model.rule.scale
    (128, InverseSqrt())
    """

    d_k: int
    rule: AttentionRule


_ROOT = AttentionRule()
_NONE = AttentionRule(Constant(1.0))

# DeBERTa adds position terms and divides by their number's root (He et al. 2021, equation 4);
# YaRN multiplies by (0.1 ln s + 1)² when a context is stretched s times (Peng et al. 2023, "YaRN",
# section 3.4), 40 times in DeepSeek-V3 and 32 times in gpt-oss.
_YARN = {stretch: (0.1 * math.log(stretch) + 1) ** 2 for stretch in (32, 40)}

REAL_MODELS: dict[str, RealModel] = {
    "Transformer": RealModel(64, _ROOT),
    "GPT-2": RealModel(64, _ROOT),
    "Whisper": RealModel(64, _ROOT),
    "LLaMA 7B": RealModel(128, _ROOT),
    "DeBERTa v2": RealModel(64, AttentionRule(Constant((3 * 64) ** -0.5))),
    "Zamba": RealModel(64, AttentionRule(Constant((64 / 2) ** -0.5))),
    "GPT-Neo 1.3B": RealModel(128, _NONE),
    "T5-11B": RealModel(128, _NONE),
    "muP": RealModel(64, AttentionRule(InverseDim(8.0))),
    "Cerebras-GPT μP": RealModel(128, AttentionRule(InverseDim())),
    "Granite 8B": RealModel(128, AttentionRule(Constant(1 / 128))),
    "Gemma 2 9B": RealModel(256, AttentionRule(Constant(1 / 16), transform=SoftCap(50.0))),
    "Gemma 2 27B": RealModel(128, AttentionRule(Constant(1 / 12), transform=SoftCap(50.0))),
    "Gemma 3 27B": RealModel(128, AttentionRule(Constant(168**-0.5), RootMeanSquare())),
    "Gemma 3n": RealModel(256, AttentionRule(Constant(1.0), RootMeanSquare())),
    "Grok-1": RealModel(128, AttentionRule(transform=SoftCap(30.0))),
    "QKNorm": RealModel(64, AttentionRule(Constant(math.log2(100**2 - 100)), UnitLength())),
    "Swin v2": RealModel(32, AttentionRule(Learned(math.log(10)), UnitLength())),
    "nGPT": RealModel(64, AttentionRule(norm=RootMeanSquare())),
    "Qwen3 8B": RealModel(128, AttentionRule(norm=RootMeanSquare())),
    "Llama 4 Scout, rotary": RealModel(128, AttentionRule(norm=RootMeanSquare())),
    "Llama 4, no rotary": RealModel(128, AttentionRule(LengthSteps())),
    "gpt-oss": RealModel(64, AttentionRule(Constant(_YARN[32] / 8), sink=0.0)),
    "DeepSeek-V3": RealModel(192, AttentionRule(Constant(192**-0.5 * _YARN[40]))),
    "Qwen-1": RealModel(128, AttentionRule(LogLength(1 / math.log(2048), least=1.0))),
}
