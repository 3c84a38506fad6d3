"""The static page's form of an exercise; its behaviour is in `book/assets/exercises`."""

import json
from html import escape

from why_sqrt_d.embedding import json_script

from .messages import SAY
from .registry import chapter_exercises, get
from .show import choices_html


def render_form(exercise_id: str) -> str:
    """Return the form of an exercise as HTML, on one line.

    It is hidden until the script shows it; without JavaScript the statement, the hints and the
    solution remain.
    """
    found = get(exercise_id)
    prefix = "exercise-" + found.id.replace(".", "-")
    name = escape(found.id)
    return (
        f'<div class="exercise-box" data-exercise="{name}" data-lm-suppress-shortcuts="true">'
        f'<form id="{prefix}" hidden aria-label="Answer to exercise {name}">'
        f"{found.kind.fields(prefix)}"
        '<p class="exercise-buttons"><button type="submit">Check</button>'
        '<button type="button" class="exercise-more">Show a hint</button>'
        '<span class="exercise-solved"></span></p>'
        '<p class="exercise-status" role="status" aria-live="polite"></p>'
        f"{json_script(found.spec(), sort_keys=True, allow_nan=False)}</form>"
        f"<noscript>{choices_html(found.kind)}<p>Checking an answer on this page needs "
        f"JavaScript; in the notebook, <code>check(&quot;{name}&quot;, answer)</code> does the "
        "same.</p></noscript></div>"
    )


def sentences_script() -> str:
    """Return the JavaScript that hands the engine's sentences to the page's other scripts."""
    table = json.dumps(SAY, ensure_ascii=False, indent=1)
    return f"(window.whySqrtDExercises = window.whySqrtDExercises || {{}}).SAY = {table};\n"


def render_progress(chapter: str | int) -> str:
    """Return the line at a chapter's head that counts the solved exercises, as HTML."""
    ids = " ".join(e.id for e in chapter_exercises(chapter))
    return (
        f'<div class="exercise-progress" data-chapter="{escape(str(chapter))}"'
        f' data-exercises="{escape(ids)}" hidden>'
        '<p role="status" aria-live="polite"></p>'
        f'<button type="button" aria-label="Clear the progress of chapter {escape(str(chapter))}">'
        "Clear</button></div>"
    )
