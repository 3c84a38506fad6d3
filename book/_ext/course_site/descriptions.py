"""Give each page the sentence that search engines and shared links show (descriptions.yml)."""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LONGEST = 160  # characters; search engines cut what is longer
logger = logging.getLogger(__name__)


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Hand a page's sentence to its template."""
    if doctree is None:  # the search page
        return
    text = app.env.course_descriptions.get(pagename, "")
    if not 50 <= len(text) <= LONGEST:
        logger.warning("book/descriptions.yml has %d characters for %s", len(text), pagename)
    context["description"] = text


def read(app: Sphinx) -> None:
    """Read the sentences once."""
    path = Path(app.srcdir, "book", "descriptions.yml")
    app.env.course_descriptions = yaml.safe_load(path.read_text("utf-8"))


def setup(app: Sphinx) -> None:
    """Read when the build begins; hand out when a page is written."""
    app.connect("builder-inited", read)
    app.connect("html-page-context", describe)
