"""Losses of a model that fills in masked tokens."""

from collections.abc import Iterator, Sequence
from typing import Any

from research.opened_models.attention import Factor, Scored, See, multiplied_logits, score_targets

NEEDS = ("torch==2.13.0", "transformers==4.57.3", "numpy==2.2.6")
MASKED = 0.15  # the share of tokens that is hidden, as in BERT's training
SEED = 47


def losses(
    model: Any, texts: Sequence[Sequence[int]], mask: int, factors: Sequence[Factor], see: See
) -> Iterator[Scored]:
    """Yield of each text what is said of its hidden tokens.

    `texts` are ids of tokens, the first and last of which are marks and are never hidden; `mask`
    is the id that hides one.
    """
    import torch

    rng = torch.Generator().manual_seed(SEED)
    for text in texts:
        ids = torch.tensor(text)
        hidden = torch.randperm(len(ids) - 2, generator=rng)[: round(MASKED * len(ids))] + 1
        given = ids.clone()
        given[hidden] = mask
        with multiplied_logits(factors, see):
            answer = model(given.expand(len(factors), -1)).logits  # (factors, tokens, kinds)
        yield score_targets(answer[:, hidden], ids[hidden].tolist())
