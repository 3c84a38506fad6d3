"""`Next` leads from chapter to chapter; a deeper page leads back to its chapter, and on."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from .reading import chapter_of


def lead(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Let a page that is no deeper one pass over those that are."""
    relations = app.builder.relations  # of each page its parent, the one before, the next
    around = {"prev": 1, "next": 2}

    def deeper(page: str | None) -> bool:
        return len(chapter_of(page or "")) == 2

    for name, way in around.items() if pagename in relations else ():
        if deeper(pagename):
            found = relations[pagename][0 if name == "prev" else way]
        else:
            found = relations[pagename][way]
            while deeper(found):
                found = relations[found][way]
        context[name] = found and {
            "link": app.builder.get_relative_uri(pagename, found),
            "title": app.env.titles[found].astext(),
        }


def setup(app: Sphinx) -> None:
    """Run before the theme makes its links."""
    app.connect("html-page-context", lead, priority=100)
