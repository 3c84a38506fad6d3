"""Losses of a model that continues a text."""

from collections.abc import Iterator, Sequence
from typing import Any

from research.opened_models.attention import Scored, See, multiplied_logits, score_targets


def losses(
    model: Any, texts: Sequence[Sequence[int]], factors: Sequence[float], see: See
) -> Iterator[Scored]:
    """Yield of each text, ids of tokens, what is said of all but its first."""
    import torch

    for text in texts:
        with multiplied_logits(factors, see):
            given = torch.tensor(text).expand(len(factors), -1)
            answer = model(given, use_cache=False).logits  # (factors, tokens, kinds)
        yield score_targets(answer[:, :-1], text[1:])
