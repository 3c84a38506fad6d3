"""Runs a learner's function with a time limit, in this process: a trace interrupts it.

It works wherever Python does: in a notebook, in nbgrader, in a browser. One long call into C, such
as a sum of a billion numbers, is not interrupted; who calls `os._exit` ends the kernel.
"""

import contextlib
import os
import sys
import time
from typing import Any, TextIO

from .model import Job, Reply

LIMIT = 4.0  # seconds a call
TRUSTED = {"numpy", "attn_helpers", "why_sqrt_d", "jax", "torch"}  # whose loops end
SLOW = "{} took longer than {:g} s: is there a loop that never ends?"


def limited(job: Job, limit: float = LIMIT, printed: TextIO | None = None) -> Reply:
    """Return what `job(note)` replies, or why it does not; it notes every call it makes.

    What it prints goes to `printed`, or nowhere.
    """
    at, before, end = "Reading the function", sys.gettrace(), time.monotonic() + limit

    def note(call: str) -> None:
        nonlocal at, end
        at, end = call, time.monotonic() + limit

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if time.monotonic() > end:
            raise KeyboardInterrupt
        if frame.f_globals.get("__name__", "").partition(".")[0] in TRUSTED:
            return None
        frame.f_trace_opcodes = True  # a loop on one line begins no new line
        return trace

    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(printed or nowhere):
            sys.settrace(trace)
            return job(note)
    except KeyboardInterrupt:
        if time.monotonic() < end:  # the reader pressed interrupt
            raise
        return Reply(False, SLOW.format(at, limit))
    finally:
        sys.settrace(before)
