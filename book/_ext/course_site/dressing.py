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
- a list whose entries begin with anchors ``term-…`` is a glossary;
- ``<!-- site: name arguments -->`` is a directive of the site; what follows until
  ``<!-- /site -->`` is said to other readers instead;
- other comments (where a number comes from) are not the reader's business.
"""

import re
from collections.abc import Callable
from typing import Any

from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import DocutilsRenderer, token_line
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from . import search
from .captions import join_caption

ANCHOR = re.compile(r'<a id="([\w-]+)">')
ALONE = re.compile(ANCHOR.pattern + "</a>")
TAG = re.compile(r"\s*\\tag\{([\w.]+)\}\s*$")
STATEMENT = re.compile(r"(Proposition|Theorem) (\d[\w.]*) \(")
SITE = re.compile(r"<!-- site: (\S+) ?([^\n]*?)(?:\n(.*))?\s*-->", re.S)
END = "<!-- /site -->"
Render = Callable[[DocutilsRenderer, SyntaxTreeNode], None]


class Note(nodes.Element):
    """A note in the margin; no landmark, of which a page should have few."""


def visit_note(self: HTML5Translator, node: Note) -> None:
    """Open the note."""
    self.body.append(self.starttag(node, "div", role="note"))


def note_target(renderer: DocutilsRenderer, name: str) -> nodes.target:
    """Add a target with a name of its own."""
    target = nodes.target("", "", names=[nodes.fully_normalize_name(name)])
    renderer.document.note_explicit_target(target, renderer.current_node)
    renderer.current_node.append(target)
    return target


def paragraph(plain: Render) -> Render:
    """Let an anchor that stands alone name what follows."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        found = ALONE.fullmatch(token.children[0].content.strip())
        if found:
            note_target(renderer, found[1])
        else:
            plain(renderer, token)
            join_caption(renderer)

    return render


def html(plain: Render) -> Render:
    """Run the site's directives, drop what is for other readers, and other comments."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        text, here = token.content.strip(), renderer.current_node
        if found := SITE.fullmatch(text):
            name, argument, content = found.groups(default="")
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
        if found := TAG.search(node.astext()):
            node["number"] = found[1]
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
        return Note("", *quote.children, classes=["margin", kind])
    if not isinstance(lead, nodes.strong):
        return quote
    if len(first) == 1:
        title = nodes.title("", "", *lead.children)
        kind = "predict" if title.astext().startswith("Predict") else "tip"
        return nodes.admonition("", title, *quote[1:], classes=[kind])
    found = STATEMENT.match(lead.astext())
    if not found:
        return quote
    kind = found[1].lower()
    number = nodes.inline("", f"{found[1]} {found[2]} ", classes=["caption-number"])
    title = nodes.title("", "", number, *[child for child in lead if child.astext()])
    title[1] = nodes.Text(" " + title[1][found.end() - 1 :])
    title[-1] = nodes.Text(title[-1].removesuffix("."))
    without_lead(first)
    opened = nodes.raw("", f'<section class="{kind}-content">', format="html")
    closed = nodes.raw("", "</section>", format="html")
    return nodes.admonition("", title, opened, *quote.children, closed, classes=["proof", kind])


def without_lead(paragraph: nodes.paragraph) -> None:
    """Take off what a paragraph begins with, and the space behind it."""
    del paragraph[0]
    if isinstance(paragraph[0], nodes.Text):
        paragraph[0] = nodes.Text(paragraph[0].lstrip())


def entries(plain: Render) -> Render:
    """Make a glossary of a list whose entries begin with a term's anchor."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        plain(renderer, token)
        if 'id="term-' in token.children[0].children[0].children[0].content:
            listed = nodes.definition_list(classes=["glossary"])
            for item, source in zip(renderer.current_node[-1], token.children, strict=True):
                listed += _entry(item, source.children[0].children[0].content)
            renderer.current_node[-1] = addnodes.glossary("", listed, sorted=False)

    return render


def _entry(item: nodes.list_item, source: str) -> nodes.definition_list_item:
    anchor, name, colon, *rest = [c for c in item[0] if c.astext() or isinstance(c, nodes.target)]
    term = nodes.term("", "", *name.children, ids=anchor["ids"])
    body = nodes.paragraph("", "", nodes.Text(colon.lstrip(": ")), *rest)
    body.insert(0, search.entry(anchor["ids"][0], name.astext(), source))
    return nodes.definition_list_item("", term, nodes.definition("", body))


def inline(plain: Render) -> Render:
    """Let an anchor within a line be a target; drop comments within a line."""

    def render(renderer: DocutilsRenderer, token: SyntaxTreeNode) -> None:
        text = token.content
        if found := ANCHOR.fullmatch(text):
            renderer.current_node += nodes.target("", "", ids=[found[1]])
        elif text != "</a>" and not text.startswith("<!--"):
            plain(renderer, token)

    return render


def mark_lede(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the first paragraph of a page, if it stands right below the title."""
    for section in doctree.findall(nodes.section):
        follows = (node for node in section[1:] if not isinstance(node, nodes.target | Note))
        first = next(follows, None)
        if isinstance(first, nodes.paragraph):
            first["classes"].append("lede")
        return


def know_ids(app: Sphinx, doctree: nodes.document) -> None:
    """Let a link such as `glossary.md#term-score` lead to any id of a page; others are errors."""
    found = {name for node in doctree.findall(nodes.Element) for name in node.get("ids", ())}
    found.update(doctree.ids)  # the bibliography's entries have theirs before they are written
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    slugs |= {name: (0, name, "") for name in found if name not in slugs}


def setup(app: Sphinx) -> None:
    """Put each of these in front of what MyST does."""
    wrappers: dict[str, Any] = {
        "render_paragraph": paragraph,
        "render_html_block": html,
        "render_html_inline": inline,
        "render_math_block": formula,
        "render_blockquote": quotation,
        "render_bullet_list": entries,
    }
    for name, wrapper in wrappers.items():
        plain = getattr(DocutilsRenderer, name)
        if plain.__module__ != __name__:  # once a process
            setattr(DocutilsRenderer, name, wrapper(plain))
    app.add_node(Note, html=(visit_note, lambda self, _: self.body.append("</div>\n")))
    app.connect("doctree-read", mark_lede, priority=300)
    app.connect("doctree-read", know_ids, priority=900)
