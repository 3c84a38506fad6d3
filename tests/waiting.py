"""Waits for something on a page."""

import time
from typing import Any


def wait_until(page: Any, expression: str, arg: Any = None, seconds: float = 60) -> None:
    """Wait for a JavaScript expression or function of `arg` to become true.

    Playwright's own `wait_for_function` asks again by `eval`, which the pages' policy forbids.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"not so within {seconds} s: {expression}"
        page.wait_for_timeout(20)
