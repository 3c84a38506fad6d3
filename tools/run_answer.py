"""Run one student's answer and check it: the child process of `tools.collect`.

Started with `python -I`, in an empty folder, without the teacher's environment. It reads a JSON
object from standard input and leaves its verdict in the file that the object names.
"""

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

GIGABYTE = 1 << 30


def confine(seconds: int) -> None:
    """Bound processor time, memory and file size, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (50 << 20, 50 << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 * GIGABYTE, 8 * GIGABYTE))


def verdict(job: dict[str, Any]) -> dict[str, Any]:
    """Run the source, check what it bound, and return a verdict that JSON can hold."""
    from why_sqrt_d.exercises import check

    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(job["source"], "the notebook", "exec"), names)
    except BaseException as error:
        said = " ".join(str(error).split())[:200]
        return {"result": "error", "message": f"Running it raised {type(error).__name__}: {said}"}
    found = check(job["exercise"], names.get(job["name"], ...))
    result = "right" if found.passed else "empty" if found.blank else "wrong"
    return {"result": result, "message": found.message}


def main() -> None:
    """Take the job, run it, leave the verdict."""
    job = json.load(sys.stdin)
    sys.path.insert(0, job["root"])
    confine(job["seconds"])
    Path(job["target"]).write_text(json.dumps(verdict(job)), encoding="utf-8")


if __name__ == "__main__":
    main()
