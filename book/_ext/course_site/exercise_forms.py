"""Put each exercise's form behind its statement, and the reader's progress below the last.

Both come from the exercise's one declaration. The sentences that the page's scripts say come from
the package too.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from why_sqrt_d.exercises import get, render_form, render_progress, sentences_script

from .page_python import seen_from

PLACEHOLDER = re.compile(r'<div class="exercise-form" data-exercise="([\d.]+)">.*?</div>')


def insert_forms(app: Sphinx, doctree: nodes.document) -> None:
    """Replace every placeholder by its form and add the progress line."""
    found: list[str] = []
    python = seen_from(app.env.docname, app.page_python)

    def form(match: re.Match[str]) -> str:
        found.append(match[1])
        return render_form(match[1], python)

    for raw in list(doctree.findall(nodes.raw)):
        text = raw.astext()
        if asked := PLACEHOLDER.search(text):
            _frame(raw, asked[1])
            _head(raw, asked[1])
            raw.replace_self(nodes.raw("", PLACEHOLDER.sub(form, text), format="html"))
    asked = [cell for cell in doctree.findall(nodes.container) if "exercise" in cell["classes"]]
    if found and asked:
        chapter = found[0].split(".")[0]
        progress = nodes.raw("", render_progress(chapter), format="html")
        asked[-1].parent.insert(asked[-1].parent.index(asked[-1]) + 1, progress)


def asked_id(exercise: str) -> str:
    """Return the id of the place where an exercise is asked."""
    return "asked-" + exercise.replace(".", "-")


def _frame(raw: nodes.raw, exercise: str) -> None:
    """Mark the exercise's cell, so that the style sheet sets it apart and links find it."""
    cell = raw.parent
    while cell is not None and cell.get("nb_element") != "cell_code":
        cell = cell.parent
    if cell is not None:
        cell["classes"].append("exercise")
        cell["ids"].append(asked_id(exercise))


def _head(raw: nodes.raw, exercise: str) -> None:
    """Say beside an exercise's title what it takes."""
    found = get(exercise)
    for head in raw.parent.findall(nodes.paragraph):
        if head.astext().startswith(f"Exercise {exercise}: "):
            title = next(iter(head.findall(nodes.strong)))
            text = f"Difficulty {found.difficulty} of 3 · {found.minutes} min"
            head.children = [title, nodes.inline("", text, classes=["effort"])]
            head["classes"].append("exercise-head")


def write_sentences(app: Sphinx) -> None:
    """Write the script with the engine's sentences where the site's other files are taken from."""
    folder = Path(app.outdir).parent / "generated"
    path = folder / "exercises" / "sentences.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sentences_script(), encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> None:
    """Write before the build begins; insert after MyST-NB has made the document."""
    app.connect("builder-inited", write_sentences)
    app.connect("doctree-read", insert_forms)
