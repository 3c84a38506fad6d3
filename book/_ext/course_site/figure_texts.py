"""Give each figure of a notebook its text alternative.

A figure carries the description that was computed from its data inside its PNG file
(``why_sqrt_d.pictures.style``). Here it becomes the ``alt`` of the picture on the page. A
notebook's picture without one is a warning, so the build fails.
"""

from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _description(path: Path) -> str:
    with Image.open(path) as image:
        return " ".join(str(getattr(image, "text", {}).get("Description", "")).split())


def add_alternatives(app: Sphinx, doctree: nodes.document) -> None:
    """Set ``alt`` on every picture that a notebook's cells made."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        for image in cell.findall(nodes.image):
            image["alt"] = _description(Path(app.srcdir, image["candidates"]["*"]))
            if not image["alt"]:
                logger.warning("a figure describes nothing: decorate it with @picture")


def setup(app: Sphinx) -> None:
    """Run after the files of all pictures are known."""
    app.connect("doctree-read", add_alternatives, priority=900)
