"""The numbers that chapter 7 and its page of models quote, and what its figures draw."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from attn_helpers import AttentionRule
from attn_helpers.checks import FloatArray
from attn_helpers.models import REAL_MODELS, RuleStatistics, rule_statistics
from attn_helpers.scales import Constant
from why_sqrt_d.ch7 import models
from why_sqrt_d.experiments.summary import statistics
from why_sqrt_d.notebook import table

Found = Mapping[str, RuleStatistics]

#: The models of the puzzle: every head is 128 wide.
TEN = (
    "GPT-Neo 1.3B",
    "T5-11B",
    "LLaMA 7B",
    "Grok-1",
    "Qwen3 8B",
    "Llama 4 Scout, rotary",
    "Gemma 2 27B",
    "Gemma 3 27B",
    "Cerebras-GPT μP",
    "Granite 8B",
)


def draw(
    d: int, seed: int, n: int = 100, blocks: int = 20, queries: int = 50
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return queries (blocks, queries, d), keys (blocks, n, d), and a gradient to the weights.

    All are standard normal.
    """
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((blocks, queries, d)), rng.standard_normal((blocks, n, d))
    return query, key, rng.standard_normal((blocks, queries, n))


def ten_models(seed: int = 0) -> dict[str, RuleStatistics]:
    """Return what the rules of the ten models make of the same 1000 queries and 100 keys."""
    data = draw(128, seed)
    return {name: rule_statistics(REAL_MODELS[name].rule, *data) for name in TEN}


def puzzle(found: Found) -> dict[str, float]:
    """Return the largest weight of GPT-Neo, and the largest scale of the ten over the least."""
    scales = [REAL_MODELS[name].rule.scale(128, 100) for name in TEN]
    return {
        "top_neo": found["GPT-Neo 1.3B"].top_weight,
        "scale_ratio": max(scales) / min(scales),
    }


class Place(NamedTuple):
    """Where a model of the table stands: the spread of its logits, and that at its start.

    The two differ where 1/√d is inside the initial weights.
    """

    kind: str
    spread: float
    start: float


def spread(model: models.Model, seed: int = 74) -> float:
    """Return the root mean square of the standard deviations within rows of a model's logits.

    400 queries and 20 sets of 100 keys are standard normal, and as wide as the model's head.
    """
    query, key, _ = draw(model.width, seed, queries=20)
    rows = models.logits(model, query, key)
    return float(np.sqrt(np.mean(np.var(rows, axis=-1))))


def places() -> dict[str, Place]:
    """Return where each model of the table stands; libraries are left out."""
    found = {}
    for name, model in models.read().items():
        if model.kind != "library":
            size = spread(model)
            inside = model.width**0.5 if model.kind == "folded" else 1.0
            found[name] = Place(model.kind, size, size / inside)
    return found


#: The years of a column of the figure, first and last.
PERIODS = ((2017, 2020), (2021, 2022), (2023, 2023), (2024, 2024), (2025, 2026))
#: What the figure tells apart.
GROUPS = {
    "1/√d alone": ("root",),
    "q and k normalised": ("norm",),
    "changed for long contexts": ("length",),
    "all others": ("width", "other", "cap", "folded"),
}


def by_year() -> dict[str, dict[str, int]]:
    """Return how many entries each group has in each period."""
    counted: dict[str, dict[str, int]] = {}
    for first, last in PERIODS:
        kinds = Counter(m.kind for m in models.read().values() if first <= m.year <= last)
        label = str(first) if first == last else f"{first}–{last % 100}"
        counted[label] = {
            name: sum(kinds[kind] for kind in group) for name, group in GROUPS.items()
        }
    return counted


def the_table(counted: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return how many entries there are up to 2022 and from 2025, and how many are 1/√d alone."""
    periods = list(counted.values())
    found = {}
    for name, among in (("early", periods[:2]), ("late", periods[-1:])):
        found[f"{name}_all"] = sum(sum(groups.values()) for groups in among)
        found[f"{name}_root"] = sum(groups["1/√d alone"] for groups in among)
    return found


def hidden_scale(change_scaled: float, change_weights: float) -> dict[str, float]:
    """Return how much more the same step changes a logit when the weights carry the scale."""
    return {"step_ratio": change_weights / change_scaled}


WIDTHS = (16, 32, 64, 128, 256, 512)


def one_step(d: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the spread of the scores before a sign step on W_q, and what it adds to one score.

    40 standard normal tokens, a model of width 4d, and the step 1/(8d) in every entry.
    """
    width = 4 * d
    x = rng.standard_normal((40, width))
    w_q, w_k = rng.standard_normal((2, width, d)) / np.sqrt(width)
    q, k = x @ w_q, x @ w_k
    step = np.outer(np.sign(x[0]), np.sign(k[1])) / (2 * width)
    different = ~np.eye(len(x), dtype=bool)  # not a token with itself
    return float((q @ k.T)[different].std()), float((x[0] @ step) @ k[1])


def steps(seeds: int = 8) -> FloatArray:
    """Return both parts (seeds, len(WIDTHS), 2) of `one_step`."""
    rngs = np.random.default_rng(75).spawn(seeds)
    return np.array([[one_step(d, rng) for d in WIDTHS] for rng in rngs])


def width_parts(parts: FloatArray) -> dict[str, dict[str, tuple[FloatArray, FloatArray]]]:
    """Return, for 1/√d and 1/d, the random part and what a step adds, measured and predicted."""
    d = np.array(WIDTHS)
    random, added = parts.mean(axis=0).T
    return {
        "β = 1/√d": {
            "random": (random / d**0.5, np.ones(len(d))),
            "one step": (added / d**0.5, d**0.5 / np.pi),
        },
        "β = 1/d": {
            "random": (random / d, d**-0.5),
            "one step": (added / d, np.full(len(d), 1 / np.pi)),
        },
    }


def added(parts: FloatArray) -> dict[str, float]:
    """Return what a step adds at d = 64 as a share of d; predicted is 1/π."""
    share = parts[:, WIDTHS.index(64), 1] / 64
    return statistics(share, added_64="mean", added_64_error="error")


GROWTH = tuple(2.0**power for power in range(9))
REMEDIES = {
    "1/√d alone": AttentionRule(),
    "cap at 50": REAL_MODELS["Gemma 2 27B"].rule,
    "normalised": REAL_MODELS["Qwen3 8B"].rule,
}


def grown() -> dict[str, list[RuleStatistics]]:
    """Return what each remedy makes of scores that are multiplied by each of `GROWTH`."""
    query, key, grad = draw(128, seed=76, blocks=10)
    return {
        name: [rule_statistics(rule, g**0.5 * query, g**0.5 * key, grad) for g in GROWTH]
        for name, rule in REMEDIES.items()
    }


def cap_tied() -> float:
    """Return the per cent of all logits within one of the cap, at the largest growth."""
    query, key, _ = draw(128, seed=76, blocks=10)
    capped = REMEDIES["cap at 50"].logits(GROWTH[-1] ** 0.5 * query, GROWTH[-1] ** 0.5 * key)
    return float(100 * np.mean(capped > 49))


def hidden_in_positions() -> dict[str, float]:
    """Return how wide a head would be whose 1/√d is the scale of gpt-oss."""
    model = models.read()["gpt-oss"]
    one = np.ones((1, model.width)) / model.width  # its score with ones is 1
    scale = models.logits(model, one, np.ones((1, model.width)))[0, 0]
    return {"as_wide": float(scale**-2)}


#: Qwen-1's list of factors has one for each place up to this.
QWEN_PLACES = 32_767


def longer_contexts() -> None:
    """Show by how much three rules multiply 1/√d for a query at four places."""
    known = models.read()
    named = {
        "Llama 4": "Llama 4, layers without rotary positions",
        "Qwen-1": "Qwen-1, at inference",
        "DeepSeek-V3": "DeepSeek-V2, V3",
    }
    query = key = np.ones((1, 1))
    rows = []
    for label, name in named.items():
        factors = []
        for place in (1000, 10_000, 30_000, 100_000):
            many = np.broadcast_to(key, (place, 1))
            factor = f"{models.logits(known[name], query, many)[0, 0]:.2f}"
            factors.append("–" if label == "Qwen-1" and place > QWEN_PLACES else factor)
        rows.append([label, *factors])
    table(["place", "1 k", "10 k", "30 k", "100 k"], rows)


def wrong_divisors() -> dict[str, RuleStatistics]:
    """Return what mistakes do to a layer 512 wide with 8 heads, d = 64, and 256 keys."""
    data = draw(64, seed=77, n=256, blocks=8)
    divisors = {
        "√d: right": 8.0,
        "√224 for √256": float(np.sqrt(64 * 224 / 256)),
        "√n": float(np.sqrt(256)),
        "√(model width)": float(np.sqrt(512)),
        "d, or √d twice": 64.0,
        "√heads": float(np.sqrt(8)),
        "forgotten": 1.0,
    }
    return {
        name: rule_statistics(AttentionRule(Constant(1 / by)), *data)
        for name, by in divisors.items()
    }
