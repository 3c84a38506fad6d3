"""The numbers that chapter 7 quotes, one function a section."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers import softmax_vjp
from attn_helpers._checks import FloatArray
from attn_helpers.models import REAL_MODELS, RuleStatistics
from why_sqrt_d.experiments.summary import statistics

Found = Mapping[str, RuleStatistics]


def puzzle(draws: Sequence[Found]) -> dict[str, float]:
    """Return largest weights of three models in the first draw, and how far draws move them.

    `scale_ratio` is the largest scale of the models over the least, at d = 128 and 100 keys.
    """
    tops = {name: np.array([found[name].top_weight for found in draws]) for name in draws[0]}
    scales = [REAL_MODELS[name].rule.scale(128, 100) for name in draws[0]]
    return {
        "top_neo": tops["GPT-Neo 1.3B"][0],
        "top_llama": tops["LLaMA 7B"][0],
        "top_granite": tops["Granite 8B"][0],
        "top_moves": float(max(np.ptp(values) for values in tops.values())),
        "scale_ratio": max(scales) / min(scales),
    }


def hidden_scale(change_scaled: float, change_weights: float) -> dict[str, float]:
    """Return how much more the same step changes a logit when the weights carry the scale."""
    return {"step_ratio": change_weights / change_scaled}


def top_tenth(name: str, query: FloatArray, key: FloatArray, grad: FloatArray) -> float:
    """Return the per cent of the squared gradient to the queries that a tenth of them receives.

    `query` and `key` are (blocks, rows, d), `grad` is to the weights of the named model's rule.
    """
    rule = REAL_MODELS[name].rule
    to_logits = softmax_vjp(rule.weights(query, key), grad)
    squares = (rule.vjp(query, key, to_logits)[0] ** 2).sum(axis=-1).ravel()
    return float(100 * np.sort(squares)[-squares.size // 10 :].sum() / squares.sum())


def three_places(
    found: Found, query: FloatArray, key: FloatArray, grad: FloatArray
) -> dict[str, float]:
    """Return entropies, and ratios of gradients, of a flat, a usual and a sharp scale.

    `cerebras_start` is the logits' spread at the start: 2048 inputs, weights N(0, 0.0283²) cut
    off at two standard deviations, which leaves 0.7737 of their variance.
    """
    flat, usual, sharp = (found[name] for name in ("Granite 8B", "LLaMA 7B", "GPT-Neo 1.3B"))
    return {
        "tenth_sharp": top_tenth("GPT-Neo 1.3B", query, key, grad),
        "tenth_middle": top_tenth("LLaMA 7B", query, key, grad),
        "gradient_flat": usual.gradient_rms / flat.gradient_rms,
        "gradient_sharp": sharp.gradient_rms / usual.gradient_rms,
        "entropy_flat": flat.entropy_share,
        "entropy_sharp": sharp.entropy_share,
        "cerebras_start": 2048 * 0.028284**2 * 0.7737 * 128**0.5 / 128,
    }


def one_step(parts: FloatArray, widths: FloatArray) -> dict[str, float]:
    """Return what one sign step adds to a logit under 1/d (with standard errors) and 1/√d.

    `parts` (seeds, len(widths), 2) hold the scores' spread and what the step adds to one score.
    """
    share = parts[:, :, 1] / widths
    added = parts.mean(axis=0)[:, 1] / widths**0.5
    return {
        **statistics(share[:, 2], added_64="mean", added_64_error="error"),
        **statistics(share[:, 5], added_512="mean", added_512_error="error"),
        "added_predicted": 1 / np.pi,
        "root_16": added[0],
        "root_512": added[-1],
    }


def blow_up(
    growth: FloatArray, grown: Mapping[str, Sequence[RuleStatistics]], capped: FloatArray
) -> dict[str, float]:
    """Return how a cap, a normalisation and 1/√d alone fare while the scores grow.

    `grown` maps each to one statistic a growth; `capped` are all logits under the cap of 50 at
    the end.
    """
    cap, plain = grown["cap at 50"], grown["1/√d alone"]
    entropies = [one.entropy_share for one in cap]
    return {
        "cap_least": min(entropies),
        "cap_least_at": growth[np.argmin(entropies)],
        "cap_end": cap[-1].entropy_share,
        "cap_tied": float(100 * np.mean(capped > 49)),
        "cap_top": cap[-1].top_weight,
        "norm_entropy": grown["normalised"][-1].entropy_share,
        "plain_end": plain[-1].logit_max,
    }


def long_context(factors: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the last of the factors by which three rules multiply 1/√d."""
    return {
        "length_llama": factors["Llama 4"][-1],
        "length_qwen": factors["Qwen-1, L = 2048"][-1],
        "length_yarn": factors["YaRN from 4 k"][-1],
    }
