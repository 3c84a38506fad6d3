"""Losses of a model that continues a text."""

from collections.abc import Iterator, Sequence
from typing import Any

from research.opened_models.attention import See, Told, opened, told


def losses(
    model: Any, texts: Sequence[Sequence[int]], factors: Sequence[float], see: See
) -> Iterator[Told]:
    """Yield of each text, ids of tokens, what is said of all but its first."""
    import torch

    for text in texts:
        with opened(factors, see):
            given = torch.tensor(text).expand(len(factors), -1)
            answer = model(given, use_cache=False).logits  # (factors, tokens, kinds)
        yield told(answer[:, :-1], text[1:])
