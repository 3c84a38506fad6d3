"""What attention functions of libraries do, run: each wrapped as `attention(query, key, value)`.

``python -m research.libraries [NAME…]`` makes an environment a library, audits the functions that
its function of `in_torch`, `in_jax` or `in_numpy` yields, and stores what was found in
``book/data/libraries.jsonl``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

import numpy as np


def only_tokens(query: Any) -> None:
    """Refuse heads: a layer splits a token's vector itself."""
    if query.ndim != 3:
        raise ValueError("a layer takes (batch, n, d)")


def by_kind(attn_mask: Any, number: str = "bias") -> dict[str, Any]:
    """Return a mask (1, 1, n_q, n) under the name that its dtype has, or nothing."""
    if attn_mask is None:
        return {}
    return {"mask" if "bool" in str(attn_mask.dtype) else number: attn_mask[None, None]}


def by_row(library: Any, query: Any, key: Any, value: Any, attn_mask: Any, causal: bool) -> Any:
    """Return each query as a batch of its own, if a mask says only which keys are padding.

    Row `i` of a boolean mask (n_q, n) is then batch `i`'s; queries (1, n_q, d) are (n_q, 1, d).
    `library` is NumPy, or has its functions. Causal means another thing then.
    """
    if attn_mask is None:
        return query, key, value
    if "bool" not in str(attn_mask.dtype):
        raise ValueError("its mask is boolean")
    if causal:
        raise NotImplementedError("not asked")
    both = (library.repeat(x, len(attn_mask), axis=0) for x in (key, value))
    return library.swapaxes(query, 0, 1), *both


def on(give: Callable[[Any], Any], back: Callable[[Any], Any], during: Any = nullcontext) -> Any:
    """Let a function of tensors take and give arrays; given a tensor, it gives one."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def attention(*three: Any, **named: Any) -> Any:
            arrays = isinstance(three[0], np.ndarray)  # or its gradient is asked for
            with during() if arrays else nullcontext():
                known = {name: given(x) for name, x in named.items()}
                found = function(*map(given, three), **known)
                return back(found) if arrays else found

        return attention

    def given(x: Any) -> Any:
        return give(x) if isinstance(x, np.ndarray) else x

    return decorate
