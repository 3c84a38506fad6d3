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
