"""What the page's Python is asked: to judge a text, and to hand back plain JSON."""

import json
from io import StringIO

from .checking import check_code
from .registry import all_exercises

LONGEST = 4000  # characters that are shown of what was printed

all_exercises()  # opens every chapter, while the page still says that it loads


def judged(exercise: str, source: str, numbers: int = 0) -> str:
    """Return the verdict on a reader's code, and what it printed, as JSON."""
    out = StringIO()
    verdict = check_code(exercise, source, numbers=numbers, printed=out)
    printed = out.getvalue()
    if len(printed) > LONGEST:
        printed = f"{printed[:LONGEST]}\n… and {len(printed) - LONGEST} characters more"
    reply = {"passed": verdict.passed, "message": verdict.message, "blank": verdict.blank}
    return json.dumps(reply | {"printed": printed})
