"""Attentions with one fault each, for a reader who names it with `ah.audit`."""

from collections.abc import Callable

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray

#: What each divides by, from its keys, and what it does with a boolean mask.
_FAULTS: list[tuple[Callable[[FloatArray], float], str]] = [
    (lambda key: np.sqrt(512), "hide"),  # the model's width
    (lambda key: np.sqrt(key.shape[-2]), "hide"),  # the number of keys
    (lambda key: float(key.shape[-1]), "hide"),  # √d twice
    (lambda key: 1.0, "hide"),
    (lambda key: np.sqrt(key.shape[-1]), "add"),
    (lambda key: np.sqrt(key.shape[-1]), "zero"),
]


def layer(number: int) -> Callable[..., FloatArray]:
    """Return a faulty attention on arrays (batch, heads, n, d), by its number from 1 to 6."""
    if not 1 <= number <= len(_FAULTS):
        raise ValueError(f"there are layers 1 to {len(_FAULTS)}, not {number}")
    divisor, way = _FAULTS[number - 1]

    def attention(
        query: FloatArray, key: FloatArray, value: FloatArray, attn_mask: FloatArray | None = None
    ) -> FloatArray:
        logits = query @ key.swapaxes(-1, -2) / divisor(key)
        if attn_mask is not None and attn_mask.dtype == bool:
            ways = {
                "hide": np.where(attn_mask, logits, -np.inf),
                "add": logits + attn_mask,
                "zero": logits * attn_mask,
            }
            logits = ways[way]
        elif attn_mask is not None:
            logits = logits + attn_mask
        return softmax(logits) @ value

    return attention
