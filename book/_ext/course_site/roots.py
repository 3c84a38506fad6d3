"""Draw the bar of a root sign in titles and ledes, where no formula stands: √d, as one says it."""

import re

from docutils import nodes
from sphinx.application import Sphinx

ROOT = re.compile(r"√(\w+)")


def barred(text: str) -> list[nodes.Node]:
    """Return a text whose roots have a bar over what they are taken of."""
    found: list[nodes.Node] = []
    for number, part in enumerate(ROOT.split(text)):
        if number % 2:
            found.append(nodes.inline("", "√", nodes.inline("", part), classes=["root"]))
        elif part:
            found.append(nodes.Text(part))
    return found


def draw_bars(app: Sphinx, doctree: nodes.document) -> None:
    """Give the titles and the lede of a page their bars."""
    places = [*doctree.findall(nodes.title)]
    places += [p for p in doctree.findall(nodes.paragraph) if "lede" in p["classes"]]
    for place in places:
        for text in [t for t in place.children if isinstance(t, nodes.Text) and "√" in t]:
            place.replace(text, barred(text.astext()))


def setup(app: Sphinx) -> None:
    """Run before the contents are made from the titles."""
    app.connect("doctree-read", draw_bars, priority=350)
