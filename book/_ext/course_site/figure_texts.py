"""Give each figure of a notebook its text alternative.

A figure cell publishes the picture together with a description computed from its data
(``attn_helpers.figures.show``): the PNG and the plain text of one output. Here the text becomes
the ``alt`` of the picture. A picture without one is a warning, so the build fails.
"""

from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _executed(app: Sphinx) -> Path:
    return Path(app.outdir).parent / "jupyter_execute" / f"{app.env.docname}.ipynb"


def _alternatives(cell: nbformat.NotebookNode) -> list[str]:
    return [
        output.data.get("text/plain", "")
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def add_alternatives(app: Sphinx, doctree: nodes.document) -> None:
    """Set ``alt`` on every picture that a notebook's cells made."""
    path = _executed(app)
    cells = [
        node
        for node in doctree.findall(nodes.container)
        if node.get("nb_element") == "cell_code" and any(node.findall(nodes.image))
    ]
    if not cells:
        return
    notebook = nbformat.read(path, as_version=4)
    for container in cells:
        texts = _alternatives(notebook.cells[container["cell_index"]])
        for image, text in zip(container.findall(nodes.image), texts, strict=True):
            if len(text) < 40 or text.startswith("<Figure"):
                logger.warning("a figure has no text alternative: use show()", location=container)
            image["alt"] = " ".join(text.split())


def setup(app: Sphinx) -> None:
    """Run after MyST-NB has made the document."""
    app.connect("doctree-read", add_alternatives)
