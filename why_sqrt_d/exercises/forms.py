"""The static page's form of an exercise; its behaviour is in `book/assets/exercises`."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape

from .kinds.function import Function
from .messages import SAY
from .model import Exercise
from .registry import chapter_exercises, get
from .show import choices_html
from .typed_rules import GROUPS, RULES, TWO_WAYS

ROOM = "(window.whySqrtDExercises = window.whySqrtDExercises || {})"


HELP = (
    "NumPy is np, attn_helpers is ah. Ctrl+Enter runs; Tab indents; "
    "Escape, then Tab leaves the field."
)
# A page has many exercises: what stands in each of their forms is called after its own.
ALIKE = re.compile(r"(<(?:button|summary)(?:(?!aria-label)[^>])*)>([^<]+)")
CHECK = '<button type="submit">Check</button>'
BUTTONS = (
    '<button type="button" data-do="run">Run</button>'
    '<button type="button" data-do="stop" hidden>Stop</button>'
    '<button type="button" data-do="restart">Start over</button>'
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


def controls(asked: Exercise, prefix: str, python: PagePython | None) -> tuple[str, str, str]:
    """Return an exercise's fields, its buttons, and what is folded below.

    A function is typed, and what is asked instead of it stands folded; where no Python can run
    that is all there is.
    """
    kind, fields = asked.kind, asked.kind.fields(prefix)
    if not isinstance(kind, Function):
        return fields, CHECK, ""
    there = f"The notebook takes it: <code>check(&quot;{asked.id}&quot;, {kind.name})</code>"
    without = f'<p class="exercise-without" {"hidden" * bool(python)}>{there}.</p>'
    if not python:
        return without + fields, CHECK * bool(fields), ""
    code = _field(prefix, kind.stub.strip() + "\n", "Your function", python)
    title = "Or answer a question about it, without code"
    folded = (
        '<details class="exercise-other">'
        f"<summary>{title}</summary>{fields}<p>{CHECK}</p></details>"
    )
    return code + without, BUTTONS, folded * bool(fields)


def render_cell(chapter: str, number: int, source: str, python: PagePython) -> str:
    """Return a form to change and run a cell of a chapter such as "ch3", as HTML on one line.

    Its script shows it, where Python can be started.
    """
    prefix = f"try-{chapter}-{number}"
    called = rf'\1 aria-label="\2, cell {number}">\2'
    help = f"{HELP} {chapter} is the chapter's module; rng draws random numbers."
    return (
        '<div class="exercise-box"><details class="exercise-other" hidden>'
        f'<summary>Change it and run it here</summary><form id="{prefix}"'
        f' data-chapter="{chapter}" aria-label="The code above, to change and run">'
        f"{_field(prefix, source + chr(10), 'The code above', python, help)}"
        f'<p class="exercise-buttons">{ALIKE.sub(called, BUTTONS)}</p>'
        '<p class="exercise-status" role="status" aria-live="polite"></p>'
        "</form></details></div>"
    )


def _field(prefix: str, code: str, label: str, python: PagePython, help: str = HELP) -> str:
    rows = max(6, code.count("\n") + 3)
    return (
        f'<div class="exercise-code" data-python="{escape(json.dumps(asdict(python)))}">'
        f'<label for="{prefix}-code">{label}</label>'
        f'<textarea id="{prefix}-code" rows="{rows}" wrap="off"'
        f' aria-describedby="{prefix}-code-help" autocomplete="off" autocapitalize="off"'
        ' spellcheck="false">'
        # On one line: the form stands in Markdown, where an empty line would end it.
        f"{escape(code).replace(chr(10), '&#10;')}</textarea>"
        f'<p class="exercise-help" id="{prefix}-code-help">{help} {escape(python.says)}</p>'
        '<progress max="1" aria-label="Loading Python" hidden></progress>'
        '<pre class="exercise-printed" role="region" aria-label="What it prints" tabindex="0"'
        " hidden></pre>"
        "</div>"
    )


def render_form(exercise_id: str, python: PagePython | None = None) -> str:
    """Return the form of an exercise as HTML, on one line; with `python`, code is run on the page.

    It is hidden until the script shows it; without JavaScript the statement, the hints and the
    solution remain.
    """
    asked = get(exercise_id)
    prefix = "exercise-" + asked.id.replace(".", "-")
    name = escape(asked.id)
    spec = asked.spec()
    spec["draws"] = len(asked.variants)
    fields, buttons, folded = controls(asked, prefix, python)
    data = json.dumps(spec, sort_keys=True, allow_nan=False, ensure_ascii=False)
    for character in "<>&":  # no text in it may end the script early
        data = data.replace(character, f"\\u{ord(character):04x}")
    again = '<button type="button" class="exercise-again">Try with other numbers</button>'
    inside = (
        f'{fields}<p class="exercise-buttons">{buttons}{again * bool(asked.variants)}'
        '<span class="exercise-solved"></span></p>'
        f'<p class="exercise-status" role="status" aria-live="polite"></p>{folded}'
    )
    called = rf'\1 aria-label="\2, exercise {name}">\2'
    return (
        f'<div class="exercise-box" data-exercise="{name}">'
        f'<form id="{prefix}" hidden aria-label="Answer to exercise {name}">'
        f"{ALIKE.sub(called, inside)}"
        f'<script type="application/json">{data}</script></form>'
        f"<noscript>{choices_html(asked.kind)}<p>Checking an answer on this page needs "
        f"JavaScript; in the notebook, <code>check(&quot;{name}&quot;, answer)</code> takes "
        "what Python has.</p></noscript></div>"
    )


def drawn_script(chapter: str | int, rendered: Callable[[str], str]) -> str:
    """Return the JavaScript that hands a chapter's exercises with other numbers to its page.

    `rendered` makes HTML of Markdown. The page loads it when a reader asks for other numbers.
    """
    drawn = {
        asked.id: [
            variant.spec()
            | {"statement": rendered(variant.statement)}
            | {"folded": [rendered(text) for text in (*variant.hints, variant.solution)]}
            for variant in asked.variants
        ]
        for asked in chapter_exercises(chapter)
        if asked.others
    }
    table = json.dumps(drawn, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return f"{ROOM}.drawn = {table};\n"


def sentences_script() -> str:
    """Return the JavaScript that hands sentences and rules to the page's other scripts."""
    reading = {**RULES, "two ways": TWO_WAYS, "groups": GROUPS}
    sentences, rules = (json.dumps(x, ensure_ascii=False, indent=1) for x in (SAY, reading))
    return f"{ROOM}.SAY = {sentences};\n{ROOM}.READING = {rules};\n"


def render_progress(chapter: str | int) -> str:
    """Return the line that counts a chapter's solved exercises, and keeps or clears answers."""
    ids = " ".join(e.id for e in chapter_exercises(chapter))
    name = escape(str(chapter))
    return (
        f'<div class="exercise-progress" data-chapter="{name}"'
        f' data-exercises="{escape(ids)}" hidden>'
        '<p role="status" aria-live="polite"></p>'
        "<details><summary>Keep or clear your answers</summary><div>"
        '<button type="button" data-do="save">Save to a file</button>'
        '<button type="button" data-do="load">Load from a file</button>'
        f'<button type="button" data-do="clear">Clear chapter {name}</button>'
        '<input type="file" accept=".json,application/json" hidden'
        ' aria-label="File with saved answers"></div></details></div>'
    )
