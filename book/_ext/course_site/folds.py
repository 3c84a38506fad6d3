"""Hand the browser what is folded as text, until a reader opens it."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLD = re.compile(
    r'(<details(?: class="exercise-(?:hint|solution)" data-exercise="[\d.]+")?>'
    r"\s*<summary>.*?</summary>)(.*?)(</details>)",
    re.S,
)
UNFOLDED = ("<noscript", "<details", 'class="highlight', ' id="', "<button")


def keep_as_text(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Hand the browser what is folded as text until it is opened (`forms.js`).

    The formulas are thousands of elements, and without scripts they stand there as before. A fold
    with code stays as it is, for its copy button is made when the page has come; so does one with
    a place that a link may lead to, and one with buttons.
    """

    def kept(match: re.Match[str]) -> str:
        opening, inside, end = match.groups()
        if any(part in inside for part in UNFOLDED):
            return match[0]
        return f"{opening}<noscript>{inside}</noscript>{end}"

    context["body"] = FOLD.sub(kept, context.get("body") or "")


def setup(app: Sphinx) -> None:
    """Fold when everything else on the page is in its place."""
    app.connect("html-page-context", keep_as_text, priority=900)
