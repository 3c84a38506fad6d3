"""Runs a learner's function with a time limit, in a process of its own.

The process comes from a fork server, which has no threads: a fork of the kernel itself loses the
threads of JAX or an executor, and what waits for them never ends. A notebook's function cannot be
imported, so cloudpickle sends it. What cannot be sent, and everything in a browser, runs here:
without processes and threads, and with nothing imported but Python's own modules and NumPy. On
two busy cores a check takes 0.06 s, the first one 0.7 s, one of a function with JAX 1.4 s. Objects
made to attack their own kernel are not defended against: who writes one can stop it anyway.
"""

import contextlib
import os
import pickle
import sys
import time
from types import ModuleType
from typing import Any, TextIO

from .model import Job, Reply

LIMIT, LOADING, MEMORY = 4.0, 30.0, 4 << 30  # seconds a call, seconds to import, bytes
TRUSTED = {"numpy", "attn_helpers", "why_sqrt_d"}  # whose loops end
SLOW = "{} took longer than {:g} s: is there a loop that never ends?"


def guarded(job: Job, limit: float = LIMIT) -> Reply:
    """Return what `job(note)` replies, or why it does not; it notes every call it makes."""
    if sys.platform == "emscripten":  # a browser, where nothing can be started
        return run_here(job, limit)
    try:
        import multiprocessing
        from signal import Signals

        from cloudpickle import dumps  # type: ignore[import-untyped]

        packed, method = dumps(job), "spawn" if sys.platform == "win32" else "forkserver"
        context: Any = multiprocessing.get_context(method)
        ours, theirs = context.Pipe(duplex=False)
    except Exception:  # no processes here, or something in the job is tied to this one
        return run_here(job, limit)
    context.set_forkserver_preload([f"why_sqrt_d.ch{n}.questions" for n in range(1, 8)])
    x64 = "jax" in sys.modules and sys.modules["jax"].config.jax_enable_x64
    process = context.Process(target=_work, args=(theirs, packed, str(int(x64))))
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:  # with its own __main__, a script that calls check would be run again in there
        process.start()
    except OSError:
        return run_here(job, limit)
    finally:
        sys.modules["__main__"] = main
        theirs.close()
    at, end = "Reading the function", time.monotonic() + LOADING
    try:
        while ours.poll(max(0.0, end - time.monotonic())):
            if not isinstance(said := ours.recv(), str):
                return said or run_here(job, limit)
            at, end = said, time.monotonic() + limit
        return Reply(False, SLOW.format(at, limit))
    except EOFError:
        process.join()
        if (code := process.exitcode or 0) >= 0:
            return Reply(False, f"{at} ended Python itself: leave out exit() and os._exit().")
        what = f"crashed Python itself ({Signals(-code).name})"
        return Reply(False, f"{at} {what}; your notebook is unharmed.")
    finally:  # also when the reader presses interrupt
        process.kill()
        process.join()
        ours.close()


def _work(pipe: Any, packed: bytes, x64: str) -> None:
    """Do the job in the other process: silent, on the processor, with bounded memory."""
    with contextlib.suppress(ImportError, ValueError):  # elsewhere, or less is allowed already
        from resource import RLIMIT_DATA, getrlimit, setrlimit

        setrlimit(RLIMIT_DATA, (MEMORY, getrlimit(RLIMIT_DATA)[1]))
    os.environ.update(JAX_PLATFORMS="cpu", JAX_ENABLE_X64=x64)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    try:
        job = pickle.loads(packed)
    except Exception:
        return pipe.send(None)
    pipe.send(job(pipe.send))


def run_here(job: Job, limit: float = LIMIT, printed: TextIO | None = None) -> Reply:
    """Run the job in this process; a trace interrupts it, though not inside one long C call.

    What it prints goes to `printed`, or nowhere.
    """
    notes, before, end = ["Reading the function"], sys.gettrace(), time.monotonic() + limit

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if time.monotonic() > end:
            raise KeyboardInterrupt
        # A loop on one line begins no new line: in the learner's code every operation counts.
        frame.f_trace_opcodes = (
            frame.f_globals.get("__name__", "").partition(".")[0] not in TRUSTED
        )
        return trace

    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(printed or nowhere):
            sys.settrace(trace)
            return job(notes.append)
    except KeyboardInterrupt:
        if time.monotonic() < end:  # the reader pressed interrupt
            raise
        return Reply(False, SLOW.format(notes[-1], limit))
    finally:
        sys.settrace(before)
