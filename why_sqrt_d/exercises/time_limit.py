"""Runs a learner's function with a time limit, in this process: a trace interrupts it.

It works wherever Python does: in a notebook, in nbgrader, in a browser. One long call into C, such
as a sum of a billion numbers, is not interrupted; who calls `os._exit` ends the kernel.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

LIMIT = 4.0  # seconds of work a call; five times as long on the clock
TRUSTED = {"numpy", "attn_helpers", "why_sqrt_d", "jax", "torch"}  # whose loops end


class Stopped(BaseException):
    """A call that went on too long, or may not be made; no `except Exception` catches it."""


def limited(
    call: Callable[[], Any], without: Callable[..., Any] | None = None, calls: int = 1
) -> Any:
    """Return what a call returns, or raise `Stopped`; also where it calls `without`.

    It may take as long as so many `calls`.
    """
    taken, limit = getattr(without, "__code__", None), calls * LIMIT
    before, begun, used = sys.gettrace(), time.monotonic(), time.process_time()

    def step(frame: Any, event: str, argument: Any) -> Any:
        passed = time.monotonic() - begun
        if passed > limit and (passed > 5 * limit or time.process_time() > used + limit):
            raise Stopped(f"took longer than {limit:g} s: is there a loop that never ends?")
        return step

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code is taken:
            raise Stopped(f"calls {taken.co_name}, which is asked for: write it with NumPy.")
        if frame.f_globals.get("__name__", "").partition(".")[0] in TRUSTED:
            return None
        frame.f_trace_opcodes = True  # a loop on one line begins no new line
        return step(frame, event, argument)

    try:
        sys.settrace(trace)
        return call()
    finally:
        sys.settrace(before)
