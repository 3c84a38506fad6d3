"""The page's field for code, where the site brings Python along."""

import json
from dataclasses import asdict, dataclass
from html import escape

from .kinds.function import Function
from .kinds.typed import TriedNumber
from .model import Kind

HELP = (
    "NumPy is np, attn_helpers is ah. Ctrl+Enter runs; Tab indents; "
    "Escape, then Tab leaves the field."
)


@dataclass(frozen=True)
class PagePython:
    """Where a page finds Python; addresses are seen from the page."""

    worker: str  #: the script that runs it
    pyodide: str  #: the folder of Pyodide
    course: str  #: the archive with the course's packages
    packages: str  #: the folder or the site that NumPy comes from
    size: int  #: bytes that the first run loads
    says: str  #: what it loads and from where, to be read before the first run


def starter(kind: Kind) -> str:
    """Return the code that stands in the field at first; nothing if the kind takes none."""
    if isinstance(kind, Function):
        return kind.stub.strip() + "\n"
    if isinstance(kind, TriedNumber):
        low, high = kind.span
        places = (low ** (1 - part) * high**part for part in (0.25, 0.5, 0.75))
        tried = ", ".join(f"{float(f'{x:.2g}'):g}" for x in places)
        return f"for x in ({tried}):\n    print(x, trial(x).say)\n\nanswer = ...\n"
    return ""


def with_code(prefix: str, kind: Kind, fields: str, python: PagePython) -> tuple[str, str, str]:
    """Return an exercise's fields, its buttons, and what is folded below.

    A function is typed, and what it gives stands folded; of an experiment it is the other way.
    """
    if isinstance(kind, Function):
        title = "Or run it in the notebook, and type what it gives"
        code = _field(prefix, starter(kind), "Your function", python)
        return code, BUTTONS, _fold(title, f"{fields}<p>{CHECK}</p>")
    code = _field(prefix, starter(kind), "Your code", python)
    below = f'{code}<p class="exercise-buttons">{BUTTONS}</p>'
    return fields, CHECK, _fold("Or try it with code of your own", below)


def render_cell(chapter: str, number: int, source: str, python: PagePython) -> str:
    """Return a form to change and run a cell of a chapter such as "ch3", as HTML on one line.

    Its script shows it, where Python can be started.
    """
    prefix = f"try-{chapter}-{number}"
    help = f"{HELP} {chapter} is the chapter's module; rng draws random numbers."
    return (
        '<div class="exercise-box"><details class="exercise-other" hidden>'
        f'<summary>Change it and run it here</summary><form id="{prefix}"'
        f' data-chapter="{chapter}" aria-label="The code above, to change and run">'
        f"{_field(prefix, source + chr(10), 'The code above', python, help)}"
        f'<p class="exercise-buttons">{BUTTONS}</p>'
        '<p class="exercise-status" role="status" aria-live="polite"></p>'
        "</form></details></div>"
    )


CHECK = '<button type="submit">Check</button>'
BUTTONS = (
    '<button type="button" data-do="run">Run</button>'
    '<button type="button" data-do="stop" hidden>Stop</button>'
    '<button type="button" data-do="restart">Start over</button>'
)


def _fold(title: str, inside: str) -> str:
    return f'<details class="exercise-other"><summary>{title}</summary>{inside}</details>'


def _field(prefix: str, code: str, label: str, python: PagePython, help: str = HELP) -> str:
    rows = max(6, code.count("\n") + 3)
    return (
        f'<div class="exercise-code" data-python="{escape(json.dumps(asdict(python)))}">'
        f'<label for="{prefix}-code">{label}</label>'
        f'<textarea id="{prefix}-code" rows="{rows}" aria-describedby="{prefix}-code-help"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false" wrap="off">'
        # On one line: the form stands in Markdown, where an empty line would end it.
        f"{escape(code).replace(chr(10), '&#10;')}</textarea>"
        f'<p class="exercise-help" id="{prefix}-code-help">{help} {escape(python.says)}</p>'
        '<progress max="1" aria-label="Loading Python" hidden></progress>'
        '<pre class="exercise-printed" role="region" aria-label="What it prints" tabindex="0"'
        " hidden></pre>"
        "</div>"
    )
