"""The guard on Linux: a forked child does the work and sends back one line of JSON."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import select
import signal
import sys
import time
import warnings
from typing import Any, NoReturn

from .guard import Job, broken, too_slow
from .messages import one_line
from .model import Reply

_MEMORY = 4 << 30  # what the child may use beyond what the notebook already does


def run_forked(job: Job, limit: float) -> Reply:
    """Run `job` in a child process and wait for its reply, at most `limit` seconds."""
    readable, writable = os.pipe()
    with warnings.catch_warnings():
        # Python and JAX warn about forking with threads; the child uses no thread and no JAX.
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        _child(job, writable)
    os.close(writable)
    deadline = time.monotonic() + limit
    try:
        lines = _lines(readable, deadline)
    finally:  # also when the reader presses interrupt
        os.close(readable)
        status = _end(pid)
    return _reply(lines, status, time.monotonic() >= deadline, limit)


def _child(job: Job, writable: int) -> NoReturn:
    """Do the work and leave, whatever happens; nothing of the parent is run or flushed."""
    code, me = 1, os.getpid()
    try:
        _isolate()

        def send(**message: Any) -> None:
            if os.getpid() == me:  # a process the learner forked has no say
                os.write(writable, json.dumps(message).encode() + b"\n")

        where = [""]

        def note(call: str) -> None:
            where[0] = one_line(call, 200)
            send(at=where[0])

        try:
            reply = job(note)
        except BaseException as error:
            reply = broken(error, where[0])
        send(passed=reply.passed is True, message=one_line(reply.message), blank=reply.blank)
        code = 0
    finally:
        os._exit(code)


def _isolate() -> None:
    """Cut the child off from the terminal, the notebook and most of the memory."""
    import resource

    os.setsid()
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdin = open(os.devnull)  # noqa: SIM115  (open until the child ends)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/statm") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, used + _MEMORY))
    with contextlib.suppress(OSError, ValueError):
        # Should the notebook die while waiting, its child does not spin for ever.
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _lines(readable: int, deadline: float) -> list[dict[str, Any]]:
    """Read messages until the reply, the end of the pipe or the deadline."""
    poll = select.poll()
    poll.register(readable, select.POLLIN | select.POLLHUP)
    data = b""
    while True:
        found = [json.loads(line) for line in data.split(b"\n")[:-1]]
        if found and "message" in found[-1]:
            return found
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            return found
        block = os.read(readable, 65536)
        if not block:
            return found
        data += block


def _end(pid: int) -> int:
    """Kill the child with everything it started, and return its wait status."""
    time.sleep(0)
    status = 0
    with contextlib.suppress(ChildProcessError):
        for _ in range(20):  # a child that is just leaving says more by its own status
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            time.sleep(0.002)
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return status


def _reply(lines: list[dict[str, Any]], status: int, late: bool, limit: float) -> Reply:
    """Turn what came through the pipe, or did not come, into a reply."""
    last = lines[-1] if lines else {}
    if "message" in last:
        return Reply(last["passed"] is True, str(last["message"]), last["blank"] is True)
    at = str(last.get("at", ""))
    if late:
        return too_slow(at, limit)
    what = at or "Reading the answer"
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return Reply(False, f"{what} crashed Python itself ({name}); your notebook is unharmed.")
    return Reply(False, f"{what} ended Python itself: leave out exit() and os._exit().")
