"""Give each page the sentence that search engines and shared links show (descriptions.yml)."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LONGEST = 160  # characters; search engines cut what is longer
logger = logging.getLogger(__name__)


@cache
def read_descriptions(srcdir: str) -> dict[str, str]:
    """Return the sentence of each page."""
    text = Path(srcdir, "book", "descriptions.yml").read_text("utf-8")
    return dict(yaml.safe_load(text))


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Hand a page's sentence to its template."""
    if doctree is None:  # the search page
        return
    text = read_descriptions(str(app.srcdir)).get(pagename, "")
    if not 50 <= len(text) <= LONGEST:
        logger.warning("book/descriptions.yml has %d characters for %s", len(text), pagename)
    context["description"] = text


def setup(app: Sphinx) -> None:
    """Run when a page is handed to its template."""
    app.connect("html-page-context", describe)
