"""Mend what Sphinx and its extensions write that is no valid or accessible HTML."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

REPAIRS = (
    # A list role without list items, and a role that ARIA has withdrawn (docutils' citations).
    (re.compile(r' role="list"(?= class="citation-list")'), ""),
    (re.compile(r' role="doc-biblioentry"'), ""),
    (re.compile(r' role="doc-backlink"'), ""),
    # A name that is not what stands there: a fold is called what it says.
    (re.compile(r'(?<=<summary) aria-label="Toggle hidden content"'), ""),
    # The head of a column that needs none.
    (re.compile(r'<th class="head">(?:<p></p>)?</th>'), '<td class="head"></td>'),
    # A link's words need no element of their own.
    (
        re.compile(r'(<a class="reference [^>]*>)<span class="[a-z -]+">([^<]*)</span></a>'),
        r"\1\2</a>",
    ),
)


def mend(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.Node,
) -> None:
    """Repair the body of one page."""
    body = context.get("body")
    if body:
        for pattern, replacement in REPAIRS:
            body = pattern.sub(replacement, body)
        context["body"] = body


def setup(app: Sphinx) -> None:
    """Run when a page is handed to its template."""
    app.connect("html-page-context", mend)
