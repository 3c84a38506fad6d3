r"""Dress the plain Markdown of the notebooks and pages.

What they hold reads well in any viewer; this is what the site makes more of:

- ``<a id="ch1-rows"></a>`` in a paragraph of its own names what follows it;
- ``\tag{1.2}`` at the end of a displayed formula is its number;
- a quotation that begins with **Proposition 1.1 (…).** or with *Proof.* is one, and with a
  paragraph that is bold throughout it is a box with that title, or a bet if that says **Predict**;
- a quotation that begins with *Aside.* or *Source.* is a note in the margin;
- a paragraph that begins with **Figure 1.2. …** is the caption of what stands before it;
- the first paragraph below a page's title is its lede;
- `<details><summary>…</summary>` and `</details>`, each alone, fold what is between them;
- ``<a id="term-gain"></a>**gain**<!-- also … -->`` is a term: an entry of the search
  index, under its own name and those that the comment gives it;
- ``<!-- site: name arguments -->`` is a directive of the site; what follows until
  ``<!-- /site -->`` is said to other readers instead;
- other comments (where a number comes from) are not the reader's business.
"""

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import DocutilsRenderer, token_line
from sphinx import addnodes
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from .page_figures import Drawing

ANCHOR = re.compile(r'<a id="([\w-]+)">')
ALONE = re.compile(ANCHOR.pattern + "</a>")
TAG = re.compile(r"\s*\\tag\{([\w.]+)\}\s*$")
STATEMENT = re.compile(r"(Proposition|Theorem) (\d[\w.]*) \(")
TERM = re.compile(r'<a id="(term-[\w-]+)"></a>\*\*(.+?)\*\*(?:<!-- also (.+?) -->)?')
SITE = re.compile(r"<!-- site: (\S+) ?([^\n]*?)(?:\n(.*))?\s*-->", re.S)
END = "<!-- /site -->"
FIGURE = re.compile(r"Figure (\d+[a-z]?(?:\.\d+)?)\. ")
Render = Callable[[DocutilsRenderer, SyntaxTreeNode], None]
logger = logging.getLogger(__name__)


class Box(nodes.Element):
    """An element of HTML: a figure, its caption, or a note (no landmark, which should be few)."""


def visit_box(self: HTML5Translator, node: Box) -> None:
    """Open the element."""
    self.body.append(self.starttag(node, node["tag"], **node.get("attributes", {})))


def depart_box(self: HTML5Translator, node: Box) -> None:
    """Close it."""
    self.body.append(f"</{node['tag']}>\n")


def note_target(renderer: DocutilsRenderer, name: str) -> nodes.target:
    """Add a target with a name of its own."""
    target = nodes.target("", "", names=[nodes.fully_normalize_name(name)])
    renderer.document.note_explicit_target(target, renderer.current_node)
    renderer.current_node.append(target)
    return target


def paragraph(plain: Render) -> Render:
    """Let an anchor that stands alone name what follows."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        match = ALONE.fullmatch(token.children[0].content.strip())
        if match:
            note_target(renderer, match[1])
        else:
            plain(renderer, token)
            join_caption(renderer)

    return render


def join_caption(renderer: DocutilsRenderer) -> None:
    """Make one figure, with the id `figure-1-2`, of a caption and what stands before it."""
    here = renderer.current_node
    text = here[-1]
    lead = next((child for child in text if child.astext()), None)
    match = isinstance(lead, nodes.strong) and FIGURE.match(lead.astext())
    if not isinstance(text, nodes.paragraph) or not match:
        return
    passed = nodes.comment | nodes.target
    before = next((node for node in reversed(here[:-1]) if not isinstance(node, passed)), None)
    shown = looked_at(before)
    if not shown:
        logger.warning("no figure stands before “Figure %s”", match[1], location=text)
        return
    name = "figure-" + match[1].replace(".", "-")
    figure = Box("", tag="figure", classes=["numbered"], names=[name])
    renderer.document.note_explicit_target(figure, figure)
    shown[0].parent.insert(shown[0].parent.index(shown[0]), figure)
    for node in (*shown, text):
        node.parent.remove(node)
    figure += [*shown, Box("", text, tag="figcaption")]


def looked_at(node: nodes.Node) -> list[nodes.Node]:
    """Return what a caption may belong to inside the element before it: to the end, if any."""
    if isinstance(node, nodes.paragraph):
        return [node] if len(node) == 1 and isinstance(node[0], nodes.image) else []
    if not isinstance(node, nodes.Element) or node.get("nb_element") != "cell_code":
        return []
    outputs = [each for each in node.children if each.get("nb_element") == "cell_code_output"]
    parts = [part for output in outputs for part in output.children]
    pictures = [
        i
        for i, part in enumerate(parts)
        if any(part.findall(lambda node: isinstance(node, nodes.image | Drawing)))
    ]
    return parts[pictures[0] :] if pictures else []


def html(plain: Render) -> Render:
    """Run the site's directives, drop what is for other readers, and other comments."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        text, here = token.content.strip(), renderer.current_node
        if match := SITE.fullmatch(text):
            name, argument, content = match.groups(default="")
            here += renderer.run_directive(name, argument.strip(), content, token_line(token))
            here.site_ends = len(here)
        elif text == END:
            del here[here.site_ends :]
        elif not text.startswith("<!--"):
            plain(renderer, token)

    return render


def formula(plain: Render) -> Render:
    """Set a formula's number beside it, as the theme does, and not as a part of it."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        plain(renderer, token)
        node = renderer.current_node[-1]
        if match := TAG.search(node.astext()):
            node["number"] = match[1]
            node.children = [nodes.Text(TAG.sub("", node.astext()))]

    return render


def quotation(plain: Render) -> Render:
    """Make statements, proofs and boxes of quotations that begin as such."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        plain(renderer, token)
        here = renderer.current_node
        here[-1] = dressed(here[-1])

    return render


def dressed(quote: nodes.block_quote) -> nodes.Element:
    """Return what a quotation is."""
    first = quote[0]
    first.children = [child for child in first if child.astext()]
    lead = first[0]
    if isinstance(lead, nodes.emphasis) and lead.astext().startswith("Proof"):
        first[0] = nodes.Text(lead.astext())
        return nodes.admonition("", *quote.children, classes=["proof"])
    if isinstance(lead, nodes.emphasis) and lead.astext() in ("Aside.", "Source."):
        kind = lead.astext().lower().rstrip(".")
        without_lead(first)
        if kind == "source":
            first[:0] = [nodes.inline("", "Source.", classes=["label"]), nodes.Text(" ")]
        how = {"tag": "div", "attributes": {"role": "note"}, "classes": ["margin", kind]}
        return Box("", *quote.children, **how)
    if not isinstance(lead, nodes.strong):
        return quote
    if len(first) == 1:
        title = nodes.title("", "", *lead.children)
        kind = "predict" if title.astext().startswith("Predict") else "tip"
        return nodes.admonition("", title, *quote[1:], classes=[kind])
    match = STATEMENT.match(lead.astext())
    if not match:
        return quote
    kind = match[1].lower()
    number = nodes.inline("", f"{match[1]} {match[2]} ", classes=["caption-number"])
    title = nodes.title("", "", number, *[child for child in lead if child.astext()])
    title[1] = nodes.Text(" " + title[1][match.end() - 1 :])
    title[-1] = nodes.Text(title[-1].removesuffix("."))
    without_lead(first)
    return nodes.admonition("", title, *quote.children, classes=["proof", kind])


def without_lead(paragraph: nodes.paragraph) -> None:
    """Take off what a paragraph begins with, and the space behind it."""
    del paragraph[0]
    if isinstance(paragraph[0], nodes.Text):
        paragraph[0] = nodes.Text(paragraph[0].lstrip())


def inline(plain: Render) -> Render:
    """Let an anchor within a line be a target, and a term be found; drop comments."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        text = token.content
        if match := ANCHOR.fullmatch(text):
            renderer.current_node += nodes.target("", "", ids=[match[1]])
            if term := TERM.search(token.parent.content):
                names = [term[2], *(term[3] or "").split(", ")]
                entries = [
                    ("single", name, match[1], "main", None) for name in filter(None, names)
                ]
                renderer.current_node += addnodes.index(entries=entries)
        elif text != "</a>" and not text.startswith("<!--"):
            plain(renderer, token)

    return render


def mark_lede(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the first paragraph of a page, if it stands right below the title."""
    for section in doctree.findall(nodes.section):
        follows = (node for node in section[1:] if not isinstance(node, nodes.target | Box))
        first = next(follows, None)
        if isinstance(first, nodes.paragraph):
            first["classes"].append("lede")
        return


def know_ids(app: Sphinx, doctree: nodes.document) -> None:
    """Let a link such as `glossary.md#term-score` lead to any id of a page; others are errors."""
    ids = {name for node in doctree.findall(nodes.Element) for name in node.get("ids", ())}
    ids.update(doctree.ids)  # the bibliography's entries have theirs before they are written
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    slugs |= {name: (0, name, "") for name in ids if name not in slugs}


def note_numbered(app: Sphinx, doctree: nodes.document) -> None:
    """Let the search find "Theorem 2.1", "Figure 5.2" and "Exercise 3.2" by these names."""
    entries = []
    for node in doctree.findall(nodes.Element):
        for place in node.get("ids", ()):
            name = re.sub(r"(figure|asked)-(\w+)-(\d+)", r"\1 \2.\3", place)
            name = name.replace("asked", "exercise")
            if isinstance(node, nodes.admonition) and "proof" in node["classes"]:
                name = node[0][0].astext().strip()
            if re.fullmatch(r"\w+ \w+\.\d+", name):
                entries.append(("single", name, place, "main", None))
    doctree += addnodes.index(entries=entries)


def keep_entries(app: Sphinx, error: Exception | None) -> None:
    """Keep the names that the search knows for the next build: Sphinx stores them too early."""
    if error is None:
        stored = pickle.dumps(app.env, pickle.HIGHEST_PROTOCOL)
        Path(app.doctreedir, ENV_PICKLE_FILENAME).write_bytes(stored)


def setup(app: Sphinx) -> None:
    """Put each of these in front of what MyST does."""
    wrappers: dict[str, Any] = {
        "render_paragraph": paragraph,
        "render_html_block": html,
        "render_html_inline": inline,
        "render_math_block": formula,
        "render_blockquote": quotation,
    }
    for name, wrapper in wrappers.items():
        plain = getattr(DocutilsRenderer, name)
        if plain.__module__ != __name__:  # once a process
            setattr(DocutilsRenderer, name, wrapper(plain))
    app.add_node(Box, html=(visit_box, depart_box))
    app.connect("doctree-read", mark_lede, priority=300)
    app.connect("doctree-read", know_ids, priority=900)
    app.connect("doctree-read", note_numbered, priority=900)
    app.connect("build-finished", keep_entries)
