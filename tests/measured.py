"""What a call needs."""

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak(function: Callable[..., Any], *given: Any, **named: Any) -> tuple[Any, int]:
    """Call a function; return its result and the most bytes that it held at a time."""
    tracemalloc.start()
    result = function(*given, **named)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, most
