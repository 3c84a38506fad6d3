"""Measurements of the attention on a batch, and rules that set β by them during a training.

A rule is source D's algorithm 1, or its algorithm 2 run online: called with the flat parameters, a
few strings and their answers, (batch, n) each, and the model, it returns β.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attn_helpers.checks import FloatArray
from attn_helpers.weights import entropy
from research.ch7.scale_search import best, bracket_scale, refine_scale
from why_sqrt_d.encoder import EncoderSettings, IntArray, forward, measure_accuracy

Rule = Callable[[FloatArray, IntArray, IntArray, EncoderSettings], float]


@dataclass(frozen=True)
class AttentionProbe:
    """Measurements over all rows of a batch, a row being one query against its n keys."""

    score_std: float  #: root of the mean variance of the scores within a row: what a softmax sees
    logit_std: float  #: the same of the logits: `score_std` times β
    score_std_all: float  #: of all scores together, the shift from row to row included
    entropy: float  #: mean entropy of the weights in nats, at most ln n
    max_weight: float  #: mean of a row's largest weight
    query_weight_std: float  #: of the entries of W_q
    key_weight_std: float  #: of the entries of W_k


def probe_attention(
    params: FloatArray, tokens: IntArray, model: EncoderSettings
) -> AttentionProbe:
    """Measure the attention's scores and weights on `tokens`, (batch, n), as `forward` does it."""
    _, cache = forward(params, tokens, model)
    query, key, _ = cache["attention"]  # (batch, n, d) each
    scores = np.einsum("bqd,bkd->bqk", query, key, dtype=np.float64)
    within = float(np.sqrt(scores.var(axis=-1).mean()))
    weights = cache["weights"].astype(np.float64)  # (batch, queries, keys)
    query_weight, key_weight, _ = np.split(model.views(params)["qkv.weight"], 3)
    return AttentionProbe(
        score_std=within,
        logit_std=model.beta * within,
        score_std_all=float(scores.std()),
        entropy=float(entropy(weights).mean()),
        max_weight=float(weights.max(axis=-1).mean()),
        query_weight_std=float(query_weight.std()),
        key_weight_std=float(key_weight.std()),
    )


def from_weights(
    params: FloatArray, tokens: IntArray, targets: IntArray, model: EncoderSettings
) -> float:
    """Return the β for logits of variance one, predicted from the spread of W_q and W_k.

    Algorithm 1 of source D: Var(q·k) = (d σ_X² σ_q²)(d σ_X² σ_k²) d, where σ_X is the spread of
    what enters the attention, measured on `tokens`, and all entries count as independent.
    """
    _, cache = forward(params, tokens, model)
    query, key, _ = np.split(model.views(params)["qkv.weight"], 3)
    inputs = float(cache["qkv"].std(dtype=np.float64))  # (T, d)
    return 1 / (model.length**1.5 * inputs**2 * float(query.std()) * float(key.std()))


def from_scores(
    params: FloatArray, tokens: IntArray, targets: IntArray, model: EncoderSettings
) -> float:
    """Return the β for logits of variance one within a row, from the scores themselves."""
    return 1 / probe_attention(params, tokens, model).score_std


def from_search(
    params: FloatArray, tokens: IntArray, targets: IntArray, model: EncoderSettings
) -> float:
    """Return the β that is most accurate on the strings now: algorithm 2 of source D, online."""

    def accuracy(scale: float) -> float:
        return measure_accuracy(params, tokens, targets, replace(model, scale=scale))

    return best(refine_scale(accuracy, bracket_scale(accuracy, max_power=2), rounds=2))


RULES: dict[str, Rule] = {"weights": from_weights, "scores": from_scores, "search": from_search}
