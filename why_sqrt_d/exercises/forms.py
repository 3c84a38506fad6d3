"""The static page's form of an exercise; its behaviour is in `book/assets/exercises`."""

import json
from collections.abc import Callable
from html import escape

from why_sqrt_d.embedding import json_script

from .code_field import CHECK, PagePython, starter, with_code
from .messages import SAY
from .registry import chapter_exercises, get
from .show import choices_html

ROOM = "(window.whySqrtDExercises = window.whySqrtDExercises || {})"


def render_form(exercise_id: str, python: PagePython | None = None) -> str:
    """Return the form of an exercise as HTML, on one line; with `python`, code is run on the page.

    It is hidden until the script shows it; without JavaScript the statement, the hints and the
    solution remain.
    """
    found = get(exercise_id)
    prefix = "exercise-" + found.id.replace(".", "-")
    name = escape(found.id)
    spec = found.spec()
    spec["draws"] = len(found.variants)
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


def drawn_script(chapter: str | int, rendered: Callable[[str], str]) -> str:
    """Return the JavaScript that hands a chapter's exercises with other numbers to its page.

    `rendered` makes HTML of Markdown. The page loads it when a reader asks for other numbers.
    """
    drawn = {
        found.id: [
            one.spec()
            | {"statement": rendered(one.statement)}
            | {"folded": [rendered(text) for text in (*one.hints, one.solution)]}
            for one in found.variants
        ]
        for found in chapter_exercises(chapter)
        if found.others
    }
    table = json.dumps(drawn, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return f"{ROOM}.drawn = {table};\n"


def sentences_script() -> str:
    """Return the JavaScript that hands the engine's sentences to the page's other scripts."""
    table = json.dumps(SAY, ensure_ascii=False, indent=1)
    return f"{ROOM}.SAY = {table};\n"


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
