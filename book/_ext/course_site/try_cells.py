"""Put a field below each cell that the page's reader may change: one with the tag `try-it`."""

from docutils import nodes
from sphinx.application import Sphinx

from why_sqrt_d.exercises.forms import render_cell

from .page_python import seen_from
from .reading import chapter_of

TAG = "tag_try-it"  # as MyST-NB writes it


def insert_fields(app: Sphinx, doctree: nodes.document) -> None:
    """Add the fields, if the site brings Python along."""
    name = app.env.docname
    python = seen_from(name, app.page_python)
    cells = [cell for cell in doctree.findall(nodes.container) if TAG in cell["classes"]]
    for number, cell in enumerate(cells if python else (), start=1):
        chapter = f"ch{chapter_of(name)[0]}"
        source = next(iter(cell.findall(nodes.literal_block))).astext()
        html = render_cell(chapter, number, source, python)
        cell.parent.insert(cell.parent.index(cell) + 1, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> None:
    """Insert after MyST-NB has made the document."""
    app.connect("doctree-read", insert_fields)
