"""Rules that set β anew while the encoder trains: source D's algorithm 1, and 2 run online.

A rule is called with the flat parameters, a few strings and their answers, (batch, n) each, and
the model; it returns β.
"""

from collections.abc import Callable

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.encoder.layers import IntArray
from why_sqrt_d.encoder.model import EncoderSettings, forward
from why_sqrt_d.encoder.probe import probe_attention
from why_sqrt_d.encoder.searches import bracket_scale, refine_scale
from why_sqrt_d.encoder.training import measure_accuracy

Rule = Callable[[FloatArray, IntArray, IntArray, EncoderSettings], float]


def from_weights(
    params: FloatArray, tokens: IntArray, targets: IntArray, model: EncoderSettings
) -> float:
    """Return the β for logits of variance one, predicted from the spread of W_q and W_k.

    Algorithm 1 of source D: Var(q·k) = (d σ_X² σ_q²)(d σ_X² σ_k²) d, where σ_X is the spread of
    what enters the attention, measured on `tokens`, and all entries count as independent.
    """
    _, cache = forward(params, tokens, model)
    d, qkv = model.length, model.views(params)["qkv.weight"]
    inputs = float(cache["qkv"].std(dtype=np.float64))  # (d, T)
    query, key = float(qkv[:d].std()), float(qkv[d : 2 * d].std())
    return 1 / (d**1.5 * inputs**2 * query * key)


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
        trial = EncoderSettings(model.vocabulary, model.length, scale)
        return measure_accuracy(params, tokens, targets, trial)

    return refine_scale(accuracy, bracket_scale(accuracy, max_power=2), rounds=2).best.scale


RULES: dict[str, Rule] = {"weights": from_weights, "scores": from_scores, "search": from_search}
