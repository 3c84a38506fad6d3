"""What attention functions of libraries do, run: each wrapped as `attention(query, key, value)`.

``python -m research.libraries [NAME…]`` makes an environment a library, audits the functions that
its function of `in_torch`, `in_jax` or `in_numpy` yields, and stores what was found in
``book/data/libraries.jsonl``.
"""

from __future__ import annotations

from typing import Any


def only_tokens(query: Any) -> None:
    """Refuse heads: a layer splits a token's vector itself."""
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")


def by_kind(attn_mask: Any, boolean: str = "mask", number: str = "bias") -> dict[str, Any]:
    """Return a mask (1, 1, n_q, n) under the name that its dtype has, or nothing."""
    if attn_mask is None:
        return {}
    return {boolean if "bool" in str(attn_mask.dtype) else number: attn_mask[None, None]}


def by_row(query: Any, key: Any, value: Any, attn_mask: Any) -> Any:
    """Return each query as a batch of its own, if a mask says only which keys are padding.

    Row `i` of a boolean mask (n_q, n) is then batch `i`'s; queries (1, n_q, d) are (n_q, 1, d).
    """
    if attn_mask is None:
        return query, key, value
    if attn_mask.dtype != bool:
        raise ValueError("its mask is boolean")
    many = len(attn_mask)
    return query.swapaxes(0, 1), key.repeat(many, axis=0), value.repeat(many, axis=0)
