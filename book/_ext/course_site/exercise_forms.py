"""Put each exercise's form behind its statement, and the reader's progress below the last.

Both come from the exercise's one declaration. The sentences that the page's scripts say come from
the package too, and so do the exercises with other numbers, which a page loads when it is asked.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from sphinx.application import Sphinx
from sphinxcontrib import katex

from why_sqrt_d.exercises import all_exercises, get
from why_sqrt_d.exercises.forms import drawn_script, render_form, render_progress, sentences_script

from .page_python import seen_from

PLACEHOLDER = re.compile(r'<div class="exercise-form" data-exercise="([\d.]+)">.*?</div>')
LINK = re.compile(r"\]\(([\w-]+)[.](?:ipynb|md)((?:#[\w-]+)?)\)")


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
    for cell in asked:
        if "more-exercises" in cell.parent["ids"]:
            _fold(cell)
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


def _fold(cell: nodes.container) -> None:
    """Let an exercise after the summary show its title alone, until it is opened."""
    head = next(x for x in cell.findall(nodes.paragraph) if "exercise-head" in x["classes"])
    title = nodes.inline("", "", *head.children, classes=["exercise-head"])
    opens, closes = '<details class="later"><summary>', "</summary>"
    parts = [nodes.raw("", opens, format="html"), title, nodes.raw("", closes, format="html")]
    inner = head.parent
    inner[inner.index(head) : inner.index(head) + 1] = parts
    inner += nodes.raw("", "</details>", format="html")


@cache
def _formula(tex: str, display: bool) -> str:
    return katex.render_latex(tex, {"displayMode": display})


def rendered(markdown: str) -> str:
    """Return Markdown as HTML, its formulas by KaTeX as on the page around it."""
    reader = MarkdownIt("commonmark").use(
        dollarmath_plugin, renderer=lambda tex, how: _formula(tex, how["display_mode"])
    )
    return reader.render(LINK.sub(r"](\1.html\2)", markdown))


def write_scripts(app: Sphinx) -> None:
    """Write the scripts with sentences and draws where the site's other files are taken from."""
    folder = Path(app.outdir).parent / "generated"
    place = folder / "exercises"
    place.mkdir(parents=True, exist_ok=True)
    (place / "sentences.js").write_text(sentences_script(), encoding="utf-8")
    for chapter in dict.fromkeys(found.chapter for found in all_exercises()):
        stamp = hashlib.sha256(drawn_script(chapter, str).encode()).hexdigest()[:16]
        path, head = place / f"drawn-{chapter}.js", f"/* {stamp} */ "
        if not (path.exists() and path.read_text(encoding="utf-8").startswith(head)):
            path.write_text(head + drawn_script(chapter, rendered), encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> None:
    """Write before the build begins; insert after MyST-NB has made the document."""
    app.connect("builder-inited", write_scripts)
    app.connect("doctree-read", insert_forms)
