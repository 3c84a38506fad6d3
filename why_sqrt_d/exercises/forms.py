"""The static page's form of an exercise; its behaviour is in `book/assets/exercises`."""

import json
from html import escape
from typing import Any

from why_sqrt_d.embedding import json_script

from .code_field import CHECK, PagePython, starter, with_code
from .messages import SAY
from .model import Exercise
from .plain import plain_html
from .registry import chapter_exercises, get
from .show import choices_html


def render_form(exercise_id: str, python: PagePython | None = None) -> str:
    """Return the form of an exercise as HTML, on one line; with `python`, code is run on the page.

    It is hidden until the script shows it; without JavaScript the statement, the hints and the
    solution remain.
    """
    found = get(exercise_id)
    prefix = "exercise-" + found.id.replace(".", "-")
    name = escape(found.id)
    spec = found.spec()
    if found.variants:
        spec["others"] = [one.spec() | _texts(one) for one in found.variants]
    fields, buttons, folded = found.kind.fields(prefix), CHECK, ""
    if python and starter(found.kind):
        fields, buttons, folded = with_code(prefix, found.kind, fields, python)
    again = '<button type="button" class="exercise-again">Try with other numbers</button>'
    return (
        f'<div class="exercise-box" data-exercise="{name}" data-lm-suppress-shortcuts="true">'
        f'<form id="{prefix}" hidden aria-label="Answer to exercise {name}">'
        f'{fields}<p class="exercise-buttons">{buttons}{again * bool(found.variants)}'
        '<span class="exercise-solved"></span></p>'
        '<p class="exercise-status" role="status" aria-live="polite"></p>'
        f"{folded}{json_script(spec, sort_keys=True, allow_nan=False)}</form>"
        f"<noscript>{choices_html(found.kind)}<p>Checking an answer on this page needs "
        f"JavaScript; in the notebook, <code>check(&quot;{name}&quot;, answer)</code> does the "
        "same.</p></noscript></div>"
    )


def _texts(found: Exercise) -> dict[str, Any]:
    """Return what the page shows of an exercise with other numbers."""
    folded = [plain_html(text) for text in (*found.hints, found.solution)]
    return {"statement": plain_html(found.statement), "folded": folded}


def sentences_script() -> str:
    """Return the JavaScript that hands the engine's sentences to the page's other scripts."""
    table = json.dumps(SAY, ensure_ascii=False, indent=1)
    return f"(window.whySqrtDExercises = window.whySqrtDExercises || {{}}).SAY = {table};\n"


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
