"""Keep together what is read as one: a formula and its comma, the parts of a number.

A browser breaks a line on both sides of a formula or a badge, whatever stands next to it, so each
gets an element around it and around the text that touches it. A long formula may break.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

TOUCHING = {-1: re.compile(r"\S+$"), 1: re.compile(r"^\S+")}  # before it, and after it
# Digits in groups of three; a number and its per cent sign or its error.
SPACES = re.compile(r"(?<=\d) (?=\d{3}(?!\d))|(?:^|(?<=\d)) (?=[%±])|(?<=±) (?=\d|$)")
HYPHEN = re.compile(r"^-(?=[\d.]+$)")  # what code puts before a negative number
LONG = 36  # characters of TeX; what is shorter fits on a phone's line
VERBATIM = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.math_block, nodes.raw)


def keep_touching(box: nodes.Element) -> None:
    """Put an element around a formula or a claim and the text that touches it."""
    parent, place = box.parent, box.parent.index(box)
    said = {}
    for side, pattern in TOUCHING.items():
        text = parent[place + side] if 0 <= place + side < len(parent) else None
        found = pattern.search(text) if isinstance(text, nodes.Text) else None
        said[side] = found[0] if found else ""
        if found:
            parent[place + side] = nodes.Text(pattern.sub("", text))
    if said[-1] or said[1]:
        kept = nodes.inline("", "", nodes.Text(said[-1]), classes=["kept"])
        parent[place] = kept
        kept += [box, nodes.Text(said[1])]


def keep(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Keep formulas, claims and numbers whole; a minus before a number is a minus."""
    for text in list(doctree.findall(nodes.Text)):
        kept = HYPHEN.sub("\N{MINUS SIGN}", SPACES.sub("\N{NO-BREAK SPACE}", text))
        if kept != text and not isinstance(text.parent, VERBATIM):
            place = next(i for i, node in enumerate(text.parent) if node is text)
            text.parent[place] = nodes.Text(kept)
    claims = [link for link in doctree.findall(nodes.reference) if "claim" in link["classes"]]
    short = [formula for formula in doctree.findall(nodes.math) if len(formula.astext()) < LONG]
    for box in (*short, *claims):
        keep_touching(box)


def setup(app: Sphinx) -> None:
    """Run when references and numbers are in their places."""
    app.connect("doctree-resolved", keep, priority=900)
