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
logger = logging.getLogger(__name__)


class Figure(nodes.Element):
    """What is looked at, and its caption."""


class Caption(nodes.Element):
    """A figure's caption; its first sentence is the figure's point."""


def figure_id(number: str) -> str:
    """Return the anchor of a figure, `figure-1-2` for 1.2."""
    return "figure-" + number.replace(".", "-")


def join_caption(renderer: DocutilsRenderer) -> None:
    """Put the paragraph that was just rendered beside its figure, if it is a caption."""
    here = renderer.current_node
    text = here[-1]
    lead = next((child for child in text if child.astext()), None)
    found = isinstance(lead, nodes.strong) and NUMBER.match(lead.astext())
    if not isinstance(text, nodes.paragraph) or not found:
        return
    passed = nodes.comment | nodes.target
    before = next((node for node in reversed(here[:-1]) if not isinstance(node, passed)), None)
    shown = _shown(before)
    if not shown:
        logger.warning("no figure stands before “Figure %s”", found[1], location=text)
        return
    figure = Figure(names=[figure_id(found[1])])
    renderer.document.note_explicit_target(figure, figure)
    holder = shown[0].parent
    holder.insert(holder.index(shown[0]), figure)
    for node in (*shown, text):
        node.parent.remove(node)
    figure.extend([*shown, Caption("", text)])


def _shown(node: nodes.Node) -> list[nodes.Node]:
    """Return what a caption may belong to inside the element before it: to the end, if any."""
    if isinstance(node, nodes.paragraph):
        return [node] if len(node) == 1 and isinstance(node[0], nodes.image) else []
    if not isinstance(node, nodes.Element) or node.get("nb_element") != "cell_code":
        return []
    outputs = [each for each in node.children if each.get("nb_element") == "cell_code_output"]
    parts = [part for output in outputs for part in output.children]
    pictures = [i for i, part in enumerate(parts) if any(part.findall(_is_picture))]
    return parts[pictures[0] :] if pictures else []


def _is_picture(node: nodes.Node) -> bool:
    return isinstance(node, nodes.image | Drawing)


def visit_figure(self: HTML5Translator, node: Figure) -> None:
    """Open the figure."""
    self.body.append(self.starttag(node, "figure", CLASS="numbered"))


def visit_caption(self: HTML5Translator, node: Caption) -> None:
    """Open the caption."""
    self.body.append(self.starttag(node, "figcaption"))


def setup(app: Sphinx) -> None:
    """Register both elements; `dressing` joins them when a page is read."""
    app.add_node(Figure, html=(visit_figure, lambda self, _: self.body.append("</figure>\n")))
    app.add_node(
        Caption, html=(visit_caption, lambda self, _: self.body.append("</figcaption>\n"))
    )
