"""What the page's Python is asked: to judge or to run a text, and to hand back plain JSON."""

import json
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import TextIO

import numpy as np

from .checking import check_code
from .model import Reply, Verdict
from .registry import all_exercises
from .typed_code import NotCode, run_text

LONGEST = 4000  # characters that are shown of what was printed

all_exercises()  # opens every chapter, while the page still says that it loads


def run_cell(chapter: str, source: str, printed: TextIO) -> Reply:
    """Run a cell of a chapter such as "ch3", which may have been changed; print its last value.

    It takes as long as it takes: the page stops what does not end.
    """
    given = {chapter: import_module(f"why_sqrt_d.{chapter}"), "rng": np.random.default_rng(0)}
    try:
        with redirect_stdout(printed):
            run_text(source, given, prints=True)
    except NotCode as refused:
        return Reply(False, str(refused))
    return Reply(True, "Done.")


def judged(asked: str, source: str, numbers: int = 0) -> str:
    """Return as JSON what there is to say of a reader's code, and what it printed.

    It answers an exercise such as "1.3", or is a cell of the chapter "ch1".
    """
    out = StringIO()
    verdict: Reply | Verdict
    if asked.startswith("ch"):
        verdict = run_cell(asked, source, out)
    else:
        verdict = check_code(asked, source, numbers=numbers, printed=out)
    printed = out.getvalue()
    if len(printed) > LONGEST:
        printed = f"{printed[:LONGEST]}\n… and {len(printed) - LONGEST} characters more"
    reply = {"passed": verdict.passed, "message": verdict.message, "blank": verdict.blank}
    return json.dumps(reply | {"printed": printed})
