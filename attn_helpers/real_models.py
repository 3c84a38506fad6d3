"""The attention formulas of real models as rules that run; where each was read is in the book.

The table of sources is book/real-models.yml. Gains and scales that a model learns stand at their
starting value; `d_k` is the width of a head in the model, or 64 where the formula is not tied to
one model.
"""

import math
from typing import NamedTuple

from attn_helpers.attention_rule import AttentionRule
from attn_helpers.query_key_norm import RootMeanSquare, UnitLength
from attn_helpers.scaling import Constant, InverseDim, Learned, LogLength, SoftCap
from attn_helpers.scaling_variants import LengthSteps, Multiplied


class RealModel(NamedTuple):
    """One model's formula.

    Attributes
    ----------
    d_k : int
        Width of a head.
    rule : AttentionRule
        From queries and keys to weights.

    Examples
    --------
    >>> d_k, rule = REAL_MODELS["Gemma 2 27B"]
    >>> round(1 / rule.scale(d_k, n=4096) ** 2)  # its head is 128 wide
    144
    """

    d_k: int
    rule: AttentionRule


_ROOT = AttentionRule()
_NONE = AttentionRule(Constant(1.0))

REAL_MODELS: dict[str, RealModel] = {
    "Transformer": RealModel(64, _ROOT),
    "GPT-2": RealModel(64, _ROOT),
    "Whisper": RealModel(64, _ROOT),
    "LLaMA 7B": RealModel(128, _ROOT),
    "DeBERTa v2": RealModel(64, AttentionRule(Multiplied(3**-0.5))),
    "Zamba": RealModel(64, AttentionRule(Multiplied(2**0.5))),
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
    "Llama 4, rotary": RealModel(128, AttentionRule(norm=RootMeanSquare())),
    "Llama 4, no rotary": RealModel(128, AttentionRule(LengthSteps())),
    "gpt-oss": RealModel(64, AttentionRule(sink=0.0)),
    "DeepSeek-V3": RealModel(192, AttentionRule(Multiplied((0.1 * math.log(40) + 1) ** 2))),
    "Qwen-1": RealModel(128, AttentionRule(LogLength(1 / math.log(2048), least=1.0))),
}
