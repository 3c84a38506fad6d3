"""PyTorch's attention, replaced by one that is seen and whose logits are multiplied."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from attn_helpers.checks import FloatArray

See = Callable[..., None]
#: Multiplies all logits of a run, or (layers, heads) those of each head.
Factor = float | FloatArray


class Scored(NamedTuple):
    """What a model said of one input, an entry a factor."""

    losses: list[float]  #: their sum over the targets, in nats
    right: list[float]  #: how many targets had the greatest chance
    targets: list[int]


def score_targets(answers: Any, targets: Sequence[int]) -> Scored:
    """Return what a model with these answers, (factors, targets, kinds), said of the targets."""
    losses, right = list[float](), list[float]()
    for answer in answers:  # one after the other: a vocabulary is large
        chances = answer.log_softmax(dim=-1)
        losses.append(-float(chances[range(len(targets)), targets].double().sum()))
        right.append(int((chances.argmax(dim=-1) == chances.new_tensor(targets)).sum()))
    return Scored(losses, right, [*targets])


@contextmanager
def multiplied_logits(factors: Sequence[Factor], see: See) -> Iterator[None]:
    """Multiply, in every attention, the logits of entry i of a batch by `factors[i]`.

    `see(layer, logits, query, key)` gets the entry whose factor is one, if there is one, of all
    heads, as arrays (heads, n_q, n), (heads, n_q, d), (heads, n, d); layers are counted from zero
    as they run.
    """
    import torch

    functional: Any = torch.nn.functional
    known = functional.scaled_dot_product_attention
    each = [np.asarray(factor) for factor in factors]
    trained = [i for i, m in enumerate(each) if m.ndim == 0 and m == 1]
    layer = 0

    def attention(
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        nonlocal layer
        if enable_gqa:
            times = query.shape[1] // key.shape[1]
            key, value = (x.repeat_interleave(times, dim=1) for x in (key, value))
        beta = query.shape[-1] ** -0.5 if scale is None else scale
        here = [m[layer] if m.ndim else m[None] for m in each]  # (heads,) or (1,)
        m = query.new_tensor(np.array(np.broadcast_arrays(*here)))[:, :, None, None]
        logits = query * (beta * m) @ key.mT  # (factors, heads, n_q, n)
        if is_causal:
            attn_mask = torch.ones(logits.shape[-2:], dtype=torch.bool).tril()
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            logits = logits.masked_fill(~attn_mask, float("-inf"))
        elif attn_mask is not None:
            logits = logits + attn_mask
        for one in trained:
            see(layer, *(x[one].numpy() for x in (logits, query, key)))
        layer += 1
        return logits.softmax(dim=-1) @ value

    functional.scaled_dot_product_attention = attention
    try:
        with torch.inference_mode():
            yield
    finally:
        functional.scaled_dot_product_attention = known
