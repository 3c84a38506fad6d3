"""Join a figure and its caption.

A paragraph that begins with **Figure 1.2. The point.** in bold, right behind the output of a cell
or behind a picture, is that figure's caption. Both become one figure, whose id is `figure-1-2`.
"""

import re

from docutils import nodes
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from .page_figures import Drawing

NUMBER = re.compile(r"Figure (\d+[a-z]?(?:\.\d+)?)\. ")
PICTURES = (nodes.image, Drawing)
logger = logging.getLogger(__name__)


class Figure(nodes.Element):
    """What is looked at, and its caption."""


class Caption(nodes.Element):
    """A figure's caption; its first sentence is the figure's point."""


def figure_id(number: str) -> str:
    """Return the anchor of a figure, `figure-1-2` for 1.2."""
    return "figure-" + number.replace(".", "-")


def mark_caption(renderer: DocutilsRenderer) -> None:
    """Mark the paragraph that was just rendered if it is a caption, and let links find it."""
    found = renderer.current_node[-1]
    if not isinstance(found, nodes.paragraph):
        return
    lead = next((child for child in found if child.astext()), None)
    if isinstance(lead, nodes.strong) and (number := NUMBER.match(lead.astext())):
        found["names"].append(figure_id(number[1]))
        found["caption"] = number[1]
        renderer.document.note_explicit_target(found, found)


def _shown(node: nodes.Node) -> list[nodes.Node]:
    """Return what a caption may belong to inside the element before it: to the end, if any."""
    if not isinstance(node, nodes.Element):
        return []
    if node.get("nb_element") != "cell_code":
        return [node] if isinstance(node, nodes.paragraph) and _is_picture(node) else []
    if not len(node) or node[-1].get("nb_element") != "cell_code_output":
        return []
    outputs = list(node[-1].children)
    first = next((i for i, each in enumerate(outputs) if any(each.findall(_is_shown))), None)
    return [] if first is None else outputs[first:]


def _is_shown(node: nodes.Node) -> bool:
    return isinstance(node, PICTURES)


def _is_picture(paragraph: nodes.paragraph) -> bool:
    return len(paragraph) == 1 and isinstance(paragraph[0], nodes.image)


def join(app: Sphinx, doctree: nodes.document) -> None:
    """Put each figure and its caption into one element."""
    for text in list(doctree.findall(nodes.paragraph)):
        number = text.get("caption")
        if not number:
            continue
        place = text.parent.index(text)
        before = place - 1
        while before >= 0 and isinstance(text.parent[before], nodes.comment | nodes.target):
            before -= 1
        shown = _shown(text.parent[before]) if before >= 0 else []
        if not shown:
            logger.warning("no figure stands before “Figure %s”", number, location=text)
            continue
        text.parent.remove(text)
        figure = Figure(ids=text["ids"], names=text["names"])
        text["ids"], text["names"] = [], []
        doctree.ids.update(dict.fromkeys(figure["ids"], figure))
        holder = shown[0].parent
        holder.insert(holder.index(shown[0]), figure)
        for node in shown:
            holder.remove(node)
        figure.extend([*shown, Caption("", text)])


def visit_figure(self: HTML5Translator, node: Figure) -> None:
    """Open the figure."""
    self.body.append(self.starttag(node, "figure", CLASS="numbered"))


def visit_caption(self: HTML5Translator, node: Caption) -> None:
    """Open the caption."""
    self.body.append(self.starttag(node, "figcaption"))


def setup(app: Sphinx) -> None:
    """Join when a page is read, before anything asks for its ids."""
    app.add_node(Figure, html=(visit_figure, lambda self, _: self.body.append("</figure>\n")))
    app.add_node(
        Caption, html=(visit_caption, lambda self, _: self.body.append("</figcaption>\n"))
    )
    app.connect("doctree-read", join, priority=400)
