"""Code as text: what a reader types on a page, run by Pyodide, in place of a notebook's cell."""

import ast
import json
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np

import attn_helpers as ah

from .answers import NotReadable
from .checking import checked
from .model import Kind, Verdict
from .time_limit import Stopped, limited

_LONGEST = 20_000
SHOWN = 4000  # characters of what was printed


def answer_of(source: str, kind: Kind) -> Any:
    """Run the text; return the function of the name that is asked for, or the last it defines.

    None if the text is empty.
    """
    if not isinstance(source, str) or len(source) > _LONGEST:
        raise NotReadable(f"Code is asked for, as text of at most {_LONGEST} characters.")
    if not source.strip():
        return None
    names, name = limited(lambda: run_text(source, {})), getattr(kind, "name", "answer")
    mine = [x for key, x in names.items() if callable(x) and key not in ("np", "ah")]
    if not mine:
        raise NotReadable(f"No function is defined: begin with def {name}(…):.")
    return names[name] if callable(names.get(name)) else mine[-1]


def run_text(source: str, given: dict[str, Any], prints: bool = False) -> dict[str, Any]:
    """Run the text, and return the names that it leaves behind.

    `np` and `ah` are there, and what is given. With `prints` the text's last line is printed if
    it has a value, as a notebook shows it.
    """
    names = {"np": np, "ah": ah, "__name__": "answer"} | given
    try:
        body = ast.parse(source).body
        end = len(body) - (prints and bool(body) and isinstance(body[-1], ast.Expr))
        exec(compile(ast.Module(body[:end], []), "<answer>", "exec"), names)
        exec(compile(ast.Interactive(body[end:]), "<answer>", "single"), names)
    except SyntaxError as error:
        raise NotReadable(f"Line {error.lineno}: {error.msg}.") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        inside = error.__traceback__ and error.__traceback__.tb_next
        at = f"Line {inside.tb_lineno if inside else 1}"
        slow = isinstance(error, Stopped)
        why = f"{error}" if slow else f"raised {type(error).__name__}: {error}."
        raise NotReadable(f"{at} {why}") from None
    return names


def run_cell(chapter: str, source: str) -> Verdict:
    """Run a cell of a chapter such as "ch3", which may have been changed; print its last value.

    It takes as long as it takes: the page ends what does not.
    """
    given = {chapter: import_module(f"why_sqrt_d.{chapter}"), "rng": np.random.default_rng(0)}
    try:
        run_text(source, given, prints=True)
    except NotReadable as refused:
        return Verdict(False, str(refused))
    return Verdict(True, "Done.")


def judged(asked: str, source: str, numbers: int = 0) -> str:
    """Return as JSON what there is to say of a reader's code, and what it printed.

    It answers an exercise such as "1.2", or is a cell of the chapter "ch1". Nothing raises; what
    runs without end the page ends.

    >>> judged("4.2", "def softmax_vjp(weights, grad): return weights *")
    '{"passed": false, "message": "Line 1: invalid syntax.", "blank": false, "printed": ""}'
    """
    with redirect_stdout(StringIO()) as out:
        if asked.startswith("ch"):
            verdict = run_cell(asked, source)
        else:
            verdict = checked(asked, lambda found: answer_of(source, found.kind), numbers)
    printed = out.getvalue()
    if len(printed) > SHOWN:
        printed = f"{printed[:SHOWN]}\n… and {len(printed) - SHOWN} characters more"
    reply = {"passed": verdict.passed, "message": verdict.message, "blank": verdict.blank}
    return json.dumps(reply | {"printed": printed})
