"""PyTorch's attention, replaced by one that is seen and whose logits are multiplied."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

See = Callable[..., None]
Told = tuple[list[float], list[int]]  #: an input's summed losses at each factor, and its targets


@contextmanager
def opened(factors: Sequence[float], see: See) -> Iterator[None]:
    """Multiply, in every attention, the logits of entry i of a batch by `factors[i]`.

    `see(layer, logits, query, key)` gets the entry whose factor is one, if there is one, of all
    heads, as arrays (heads, n_q, n), (heads, n_q, d), (heads, n, d); layers are counted from zero
    as they run.
    """
    import torch

    functional: Any = torch.nn.functional
    known = functional.scaled_dot_product_attention
    m, layer = torch.tensor(factors).reshape(-1, 1, 1, 1), 0

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
        logits = query @ key.mT * beta * m  # (factors, heads, n_q, n)
        if is_causal:
            attn_mask = torch.ones(logits.shape[-2:], dtype=torch.bool).tril()
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            logits = logits.masked_fill(~attn_mask, float("-inf"))
        elif attn_mask is not None:
            logits = logits + attn_mask
        for one in [i for i, factor in enumerate(factors) if factor == 1]:
            see(layer, *(x[one].numpy() for x in (logits, query, key)))
        layer += 1
        return logits.softmax(dim=-1) @ value

    functional.scaled_dot_product_attention = attention
    try:
        with torch.inference_mode():
            yield
    finally:
        functional.scaled_dot_product_attention = known
