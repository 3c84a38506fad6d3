"""Runs what the learner passed so that nothing it does reaches the notebook.

On Linux the work happens in a forked child: whatever it does to itself (loop, crash, exit, fill
the memory), the parent answers in time. Elsewhere a daemon thread is the best there is, and in
the browser's Pyodide a trace function that looks at the clock.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .model import Note, Reply

LIMIT = 4.0
Job = Callable[[Note], Reply]


class OutOfTime(BaseException):
    """Raised inside a job that has used up its time; nothing should catch it."""


def too_slow(at: str, limit: float) -> Reply:
    """Say that the time was up."""
    what = f"{at} took" if at else "Reading the answer took"
    return Reply(False, f"{what} longer than {limit:g} s: is there a loop that never ends?")


def broken(error: BaseException, at: str = "") -> Reply:
    """Say that reading the answer raised, without asking the exception for much."""
    name = type.__getattribute__(type(error), "__name__")
    what = at or "Reading the answer"
    return Reply(False, f"{what} raised {name}: numbers, text or a function are expected.")


def guarded(job: Job, limit: float = LIMIT, backend: str | None = None) -> Reply:
    """Run `job(note)` and return its reply, or one that says why there is none.

    Parameters
    ----------
    job : callable
        Gets a function `note` to say where it is, and returns a `Reply`.
    limit : float
        Seconds until it is given up.
    backend : {"fork", "thread", "inline"}, optional
        By default whatever the platform offers.
    """
    if backend is None:
        fork = sys.platform.startswith("linux") and hasattr(os, "fork")
        backend = "inline" if sys.platform == "emscripten" else "fork" if fork else "thread"
    if backend == "fork":
        from .guard_fork import run_forked

        return run_forked(job, limit)
    return _inline(job, limit) if backend == "inline" else _threaded(job, limit)


@contextlib.contextmanager
def _silence() -> Any:
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


def _threaded(job: Job, limit: float) -> Reply:
    """Run in a daemon thread; after the limit ask it to stop and answer without it."""
    notes, replies = [""], []

    def work() -> None:
        try:
            replies.append(job(notes.append))
        except BaseException as error:
            replies.append(broken(error, notes[-1]))

    thread = threading.Thread(target=work, daemon=True, name="exercise")
    with _silence():
        thread.start()
        thread.join(limit)
        if thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0), ctypes.py_object(OutOfTime)
            )
            thread.join(0.2)
            return too_slow(notes[-1], limit)
    return replies[0] if replies else too_slow(notes[-1], limit)


def _inline(job: Job, limit: float) -> Reply:
    """Run here; a trace function raises once the time is up (not inside one long C call)."""
    deadline, notes, before = time.monotonic() + limit, [""], sys.gettrace()

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if time.monotonic() > deadline:
            raise OutOfTime
        return trace

    try:
        with _silence():
            sys.settrace(trace)
            try:
                return job(notes.append)
            finally:
                sys.settrace(before)
    except OutOfTime:
        return too_slow(notes[-1], limit)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return broken(error, notes[-1])
