"""Say where a line may break, and where not.

What is read as one stays on one line: a formula and the comma behind it, a number and its unit.
CSS lets a line break on both sides of a formula or a badge, whatever stands next to it, so each
gets an element around it and around the text that touches it. Long names in the reference break
between their words.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

TOUCHING_BEFORE = re.compile(r"\S+$")
TOUCHING_AFTER = re.compile(r"^\S+")
# Digits in groups of three; a number and its per cent sign or its error, which may be in another
# element.
SPACES = re.compile(r"(?<=\d) (?=\d{3}(?!\d))|(?:^|(?<=\d)) (?=[%±])|(?<=±) (?=\d|$)")
HYPHEN = re.compile(r"^-(?=[\d.]+$)")  # what code puts before a negative number
# The code of the reference and of its index of symbols, which stands in narrow columns.
LISTS_NAMES = ("book/api/", "book/notation")
CODE = re.compile(r'(?<=<span class="pre">)[^<]+')
LONG_NAME = re.compile(r"[a-z][\w.]{11,}\(?", re.I)
JOINT = re.compile(r"(?<=[_.(])(?=.)")
VERBATIM = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.math_block, nodes.raw)


def _is_box(node: nodes.Node) -> bool:
    """Say whether the browser takes an element for a box of its own in the line."""
    return isinstance(node, nodes.math) or (
        isinstance(node, nodes.reference) and "claim" in node["classes"]
    )


def _cut(parent: nodes.Element, index: int, pattern: re.Pattern[str]) -> str:
    """Take from a neighbouring text what touches the box, and return it.

    By its place: docutils finds a text by what it says, and a line may say ", " twice.
    """
    node = parent[index] if 0 <= index < len(parent) else None
    found = pattern.search(node) if isinstance(node, nodes.Text) else None
    if found is None:
        return ""
    parent[index] = nodes.Text(pattern.sub("", node))
    return found[0]


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put an element around each box and the text that touches it."""
    if app.builder.format != "html":
        return
    for box in [node for node in doctree.findall() if _is_box(node)]:
        parent, index = box.parent, box.parent.index(box)
        before = _cut(parent, index - 1, TOUCHING_BEFORE)
        after = _cut(parent, index + 1, TOUCHING_AFTER)
        if before or after:
            kept = nodes.inline("", "", nodes.Text(before), classes=["kept"])
            parent[index] = kept
            kept += [box, nodes.Text(after)]


def keep_numbers(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Join the parts of a number, and a number and its per cent sign; a minus is a minus."""
    for text in list(doctree.findall(nodes.Text)):
        kept = HYPHEN.sub("\N{MINUS SIGN}", SPACES.sub("\N{NO-BREAK SPACE}", text))
        if kept != text and not isinstance(text.parent, VERBATIM):
            place = next(i for i, node in enumerate(text.parent) if node is text)
            text.parent[place] = nodes.Text(kept)


def break_names(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Let a long name break behind an underscore, a point or its bracket."""

    def broken(code: re.Match[str]) -> str:
        return LONG_NAME.sub(lambda name: JOINT.sub("<wbr>", name[0] + " ")[:-1], code[0])

    if pagename.startswith(LISTS_NAMES) and context.get("body"):
        context["body"] = CODE.sub(broken, context["body"])


def setup(app: Sphinx) -> None:
    """Run when references and numbers are in their places, and when a page is written."""
    app.connect("html-page-context", break_names)
    app.connect("doctree-resolved", keep_together, priority=900)
    app.connect("doctree-resolved", keep_numbers, priority=900)
