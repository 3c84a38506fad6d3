"""Runs a learner's function with a time limit, in this process: a second thread watches it.

Nothing is slower for it. One long call into C, such as a sum of a billion numbers, is not
interrupted; who calls `os._exit` ends the kernel. A browser's Python has no threads: there the
page ends what does not end.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from traceback import walk_tb
from typing import Any

LIMIT = 4.0  # seconds of work a call; five times as long on the clock
_PATIENCE = 1.0  # seconds after which it is interrupted without a pause


class Stopped(BaseException):
    """A call that went on too long, or may not be made; no `except Exception` catches it."""

    def __str__(self) -> str:
        return super().__str__() or "was not done in time."


def _refused(*args: Any, **options: Any) -> None:
    """Stand in for a function that may not be called, among whose names this code runs."""
    import sys

    from why_sqrt_d.exercises.time_limit import Stopped

    name = sys._getframe().f_code.co_name
    raise Stopped(f"calls {name}, which is asked for: write it with NumPy.")


def _watch(thread: int, limit: float, ended: threading.Event) -> None:
    """Interrupt a thread that works for longer than the limit, until it ends."""
    began, used, switching = time.monotonic(), time.process_time(), sys.getswitchinterval()
    while not ended.wait(min(0.1, limit / 4)):
        passed = time.monotonic() - began
        if passed > limit and (passed > 5 * limit or time.process_time() > used + limit):
            break
    over = time.monotonic() + _PATIENCE
    while not ended.wait(0.05 if time.monotonic() < over else 0):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(Stopped)
        )
        if time.monotonic() > over:  # a bare except took it: come again within its handler
            sys.setswitchinterval(1e-6)
    sys.setswitchinterval(switching)


def limited(
    call: Callable[[], Any], without: Callable[..., Any] | None = None, calls: int = 1
) -> Any:
    """Return what a call returns, or raise `Stopped`; also where it calls `without`.

    It may take as long as so many `calls`.
    """
    ended, limit, me = threading.Event(), calls * LIMIT, threading.get_ident()
    watcher = threading.Thread(target=_watch, args=(me, limit, ended), daemon=True)
    taken: Any = without
    code: Any = taken.__code__ if taken else None
    try:
        if taken:
            # A reader may hold it by any name, of an import, a default or a closure: only its
            # code is found by all. (`sys.monitoring` could refuse it too, from Python 3.12 on.)
            taken.__code__ = _refused.__code__.replace(co_name=code.co_name)
        try:
            watcher.start()
        except RuntimeError:  # no threads
            return call()
        try:
            return call()
        finally:
            ended.set()
            watcher.join()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), None)
    except Stopped as stopped:
        if stopped.args:
            raise
        raise Stopped(_seen(stopped, limit)) from None
    finally:
        ended.set()
        if taken:
            taken.__code__ = code


def _seen(stopped: Stopped, limit: float) -> str:
    """Say what was seen of a call that was stopped: where it was, in the learner's own code."""
    while isinstance(stopped.__context__, Stopped):  # it was interrupted again on its way out
        stopped = stopped.__context__
    own = [
        f"line {line} of {frame.f_code.co_name}"
        for frame, line in walk_tb(stopped.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("why_sqrt_d", "numpy")
    ]
    where = f" and was in {own[-1]}" if own else ""
    return f"was not done after {limit:g} s{where}: is that a loop that never ends, or a slow one?"
