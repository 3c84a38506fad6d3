"""Rules for β that multiply another rule, as models do for extra terms and for long contexts."""

import math
from dataclasses import dataclass, field

from attn_helpers._validate import finite, positive_int
from attn_helpers.scaling import InverseSqrt, ScaleRule


@dataclass(frozen=True)
class Multiplied:
    """β = factor · base.

    YaRN multiplies by (0.1 ln s + 1)² when a context is stretched s times (Peng et al. 2023,
    "YaRN", section 3.4); DeBERTa adds position terms and divides by their number's root (He et al.
    2021, equation 4). The factor is finite and >= 0.

    Examples
    --------
    >>> round(Multiplied((0.1 * math.log(40) + 1) ** 2)(d_k=192, n=4096), 4)
    0.1352
    """

    factor: float
    base: ScaleRule = field(default=InverseSqrt())

    def __post_init__(self) -> None:
        finite(self.factor, "factor", low=0)

    def __call__(self, d_k: int, n: int) -> float:
        """Return factor · base(d_k, n)."""
        return float(self.factor) * self.base(d_k, n)


@dataclass(frozen=True)
class LengthSteps:
    """β = base · (1 + strength · ln(floor(n / step) + 1)) for the last query of n keys.

    Llama 4's layers without rotary positions, with strength 0.1 and step 8192: the code counts
    positions from 0 and uses position + 1, which is n for the query that sees n keys (repository
    meta-llama/llama-models, models/llama4/model.py). Strength is finite and >= 0.

    Examples
    --------
    >>> LengthSteps()(d_k=64, n=8191), round(LengthSteps()(d_k=64, n=8192), 4)
    (0.125, 0.1337)
    """

    strength: float = 0.1
    step: int = 8192
    base: ScaleRule = field(default=InverseSqrt())

    def __post_init__(self) -> None:
        finite(self.strength, "strength", low=0)
        positive_int(self.step, "step")

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys (positive integers)."""
        beta = self.base(d_k, n)
        return beta * (1 + float(self.strength) * math.log(n // self.step + 1))
