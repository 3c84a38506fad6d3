"""Grade one returned notebook; remember what was graded."""

import ast
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tools.answers import answer_name
from tools.paths import BUILD, ROOT
from tools.reading_answers import (
    NeedsRunning,
    Submission,
    assigned_value,
    is_stub,
    read_value,
)
from why_sqrt_d.exercises import Exercise, Function, all_exercises, check

MEMORY = BUILD / "collected"
LARGEST = 50_000_000  # bytes; a notebook with all its figures has about five million
RESULTS = ("right", "wrong", "error", "not run", "empty")  # from the best to the least
NOT_RUN = "This answer is code: grade it with --run, or read it."


@dataclass(frozen=True)
class Row:
    """One line of the table; `result` is right, wrong, empty, error or not run."""

    student: str
    exercise: str
    result: str
    message: str
    answer: str
    file: str


def grade(path: Path, seconds: int, fresh: bool = False) -> list[Row]:
    """Return a row for each exercise of a notebook's chapter, whatever the file holds.

    Parameters
    ----------
    path : Path
        The returned notebook.
    seconds : int
        How long an answer that has to be run may take; 0 runs nothing.
    fresh : bool
        Whether to grade again what was graded before.
    """
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else b""
        record = MEMORY / f"{_key(content, seconds)}.json"
        if record.exists() and not fresh:
            return [Row(**row) for row in json.loads(record.read_text(encoding="utf-8"))]
        rows = _graded(content, seconds)
        record.parent.mkdir(parents=True, exist_ok=True)
        part = record.with_suffix(f".{os.getpid()}-{id(rows)}.part")
        part.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")
        part.replace(record)
    except Exception as error:  # one broken notebook never stops the rest
        return [_trouble(f"Grading failed: {type(error).__name__}: {error}")]
    return rows


def _key(content: bytes, seconds: int) -> str:
    return hashlib.sha256(_engine() + str(seconds).encode() + b"\0" + content).hexdigest()


@cache
def _engine() -> bytes:
    """Fingerprint what grades: both packages and this folder."""
    digest = hashlib.sha256()
    patterns = ("attn_helpers/**/*.py", "why_sqrt_d/**/*.py", "tools/*.py")
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        digest.update(path.read_bytes())
    return digest.digest()


def _trouble(message: str) -> Row:
    return Row("", "", "error", message, "", "")


def _sources(content: bytes) -> list[str] | None:
    """Return the code cells' sources; None if the bytes are no notebook."""
    try:
        cells = json.loads(content)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return ["".join(source) for source in code]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _graded(content: bytes, seconds: int) -> list[Row]:
    sources = _sources(content)
    if sources is None:
        return [_trouble("This file is empty, too large, or no notebook.")]
    submission = Submission(sources)
    asked = [found for found in all_exercises() if submission.mentions(answer_name(found))]
    chapters = {found.chapter for found in asked}
    rows = [
        _row(found, submission, seconds) for found in all_exercises() if found.chapter in chapters
    ]
    return rows or [_trouble("No answer cell is in this notebook.")]


def _row(found: Exercise, submission: Submission, seconds: int) -> Row:
    """Grade one exercise."""
    blank = Row("", found.id, "empty", "", "", "")
    name = answer_name(found)
    if trouble := submission.trouble(name):
        return replace(blank, result="error", message=f"The cell is no Python: {trouble}.")
    place = submission.last(name)
    if place is None:
        return replace(blank, message="The answer's cell is gone.")
    node = submission.statements[place]
    value = assigned_value(node)
    text = " ".join(ast.unparse(node if value is None else value).split())[:300]
    row = replace(blank, answer="" if text == "..." else text)
    if is_stub(node):
        return replace(row, answer="")
    try:
        if value is None or isinstance(found.kind, Function):
            raise NeedsRunning(text)
        return _checked(row, read_value(value))
    except NeedsRunning:
        if not seconds:
            return replace(row, result="not run", message=NOT_RUN)
        return replace(row, **_run(found.id, name, submission.slice(name), seconds))


def _checked(row: Row, answer: Any) -> Row:
    verdict = check(row.exercise, answer)
    result = "right" if verdict.passed else "empty" if verdict.blank else "wrong"
    return replace(row, result=result, message="" if verdict.blank else verdict.message)


def _run(exercise: str, name: str, source: str, seconds: int) -> dict[str, str]:
    """Run an answer in a process of its own and return result and message."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "verdict.json"
        job = {"exercise": exercise, "name": name, "source": source, "seconds": seconds}
        job |= {"root": str(ROOT), "target": str(target)}
        if not _finished(job, folder, seconds):
            return {"result": "error", "message": f"Running it took longer than {seconds} s."}
        try:
            said = json.loads(target.read_text(encoding="utf-8"))
            result = said["result"] if said["result"] in RESULTS else "error"
            return {"result": result, "message": str(said["message"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {"result": "error", "message": "Running it ended Python itself."}


def _finished(job: dict[str, Any], folder: str, seconds: int) -> bool:
    """Start the child, wait, and end it with all it started; tell whether it came to an end."""
    environment = {"PATH": os.defpath, "HOME": folder, "MPLBACKEND": "Agg"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    if root := os.environ.get("SYSTEMROOT"):  # without it Python does not start on Windows
        environment["SYSTEMROOT"] = root
    child = subprocess.Popen(
        [sys.executable, "-I", str(ROOT / "tools" / "run_answer.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    try:
        child.communicate(json.dumps(job).encode(), timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError, PermissionError, AttributeError):
            os.killpg(child.pid, signal.SIGKILL)
        child.kill()
        child.wait()
