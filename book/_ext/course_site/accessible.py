"""Mend what Sphinx and its extensions write that axe-core objects to on a page."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

REPAIRS = (
    (' aria-label="Toggle hidden content"', ""),  # a fold is called what it says
    (' role="list" class="citation-list"', ' class="citation-list"'),  # it has no list's items
    (' role="doc-biblioentry"', ""),  # which ARIA has withdrawn
    (' role="doc-backlink"', ""),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),  # a column that needs no head
    ('<th class="head"></th>', '<td class="head"></td>'),
)
# A page has many hints, each called after its exercise.
FOLD = re.compile(r'(<details class="exercise-\w+" data-exercise="([\d.]+)">)<summary>([^<]+)')


def mend(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Repair the body of one page."""
    body = context.get("body") or ""
    for wrong, right in REPAIRS:
        body = body.replace(wrong, right)
    context["body"] = FOLD.sub(r'\1<summary aria-label="\3, exercise \2">\3', body)


def setup(app: Sphinx) -> None:
    """Run when a page is handed to its template."""
    app.connect("html-page-context", mend)
