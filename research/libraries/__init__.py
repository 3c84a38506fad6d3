"""What attention functions of libraries do, run: each wrapped as `attention(query, key, value)`.

``python -m research.libraries [NAME…]`` makes an environment a library, audits the functions that
its module here wraps, and stores what was found in ``book/data/libraries.jsonl``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Function:
    """A function of a library: its name, a call to paste, and the callable for the audit."""

    name: str
    call: str
    attention: Callable[..., Any]
    gradient: Callable[..., Any] | None


FUNCTIONS: list[Function] = []


def reads(name: str, call: str, gradient: Callable[..., Any] | None = None) -> Any:
    """Return a decorator that adds a callable to what is audited."""

    def add(attention: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS.append(Function(name, call, attention, gradient))
        return attention

    return add


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
