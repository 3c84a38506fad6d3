"""What the search page looks through: the pages' sections, terms and functions, as text.

`make book` writes it as a script, `_static/search/sections.js`, so that a site opened from a
folder is searched too; MiniSearch (book/assets/search) finds and ranks. Sphinx's own index, which
forgives no letter and reads every page that it finds once more, is not written.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import tex2unichar
from sphinx import addnodes
from sphinx.application import Sphinx

from .colophon import read_descriptions
from .reading import chapter_of

OPERATORS = ("arg", "exp", "ln", "log", "max", "min")
LETTERS: dict[str, str] = (
    {"sqrt": "√", "frac": " "}
    | {name: f"{name} " for name in OPERATORS}
    | {
        name: char
        for kind in ("mathalpha", "mathbin", "mathop", "mathord", "mathrel")
        for name, char in getattr(tex2unichar, kind).items()
    }
)
COMMAND = re.compile(r"\\(?:(?:tag|begin|end)\{.*?\}|([A-Za-z]+) ?|.)|[{}&^]")
UNSAID = nodes.title | nodes.section | nodes.FixedTextElement | nodes.Invisible | addnodes.desc
UNSAID |= nodes.system_message
FOLD = re.compile(r"<details\b(?! class=.later)|</details>")  # what is open behind `later` counts
Part = tuple[str, str, str]  # an anchor, a heading, a text


def plain(tex: str) -> str:
    r"""Return a formula as a line of text: `\sqrt{d_k}` as √d_k."""
    return COMMAND.sub(lambda found: LETTERS.get(found[1] or "", ""), tex.replace("^2", "²"))


def words(parent: nodes.Element, named: Collection[nodes.Element]) -> Iterator[str]:
    """Yield what an element says to a reader who opens no fold; no code, and nothing printed."""
    folds = 0
    for node in parent.children:
        if isinstance(node, nodes.raw):
            found = FOLD.findall(node.astext())
            folds = max(0, folds + sum(-1 if mark == "</details>" else 1 for mark in found))
        elif folds or isinstance(node, UNSAID) or node in named:
            continue
        elif isinstance(node, nodes.math | nodes.math_block):
            yield plain(node.astext())
        elif isinstance(node, nodes.Text):
            yield node.astext()
        elif (
            node.get("mime_type", "text/markdown") == "text/markdown"
            and "rows" not in node["classes"]
        ):
            yield from words(node, named)
            yield " " if isinstance(node, nodes.Part | nodes.Body) or node["classes"] else ""


def text_of(node: nodes.Element, named: Collection[nodes.Element] = ()) -> str:
    """Return the words of an element in one line."""
    return " ".join("".join(words(node, named)).split())


def named_in(doctree: nodes.document) -> dict[str, tuple[list[str], nodes.Element]]:
    """Return what has names of its own on a page: terms, statements, figures, exercises."""
    places = {place: node for node in doctree.findall(nodes.Element) for place in node["ids"]}
    found: dict[str, tuple[list[str], nodes.Element]] = {}
    for entry in doctree.findall(addnodes.index):
        for kind, name, place, *_ in entry["entries"]:
            if kind == "single" and (aim := places.get(place)) is not None:
                aim = aim.parent if isinstance(aim, nodes.target) else aim
                found.setdefault(place, ([], aim))[0].append(name)
    return found


def parts(doctree: nodes.document) -> Iterator[Part]:
    """Yield a page's sections, what is named on it, and functions: no text twice."""
    named = named_in(doctree)
    apart = [node for _, node in named.values()]
    for section in doctree.findall(nodes.section):
        title = next(iter(section.findall(nodes.title)))
        yield section["ids"][0], text_of(title), text_of(section, apart)
    for place, (names, node) in named.items():
        heads = (text_of(strong) for strong in node.findall(nodes.strong))
        head = next((text for text in heads if text.lower().startswith(names[0].lower())), "")
        title = ", ".join([head or names[0], *names[1:]])
        yield place, title, text_of(node).removeprefix(head).lstrip(": ")
    for described in doctree.findall(addnodes.desc):
        signature = described[0]
        if signature["ids"]:
            yield signature["ids"][0], signature["fullname"], text_of(described[-1])[:300]


def take_over(app: Sphinx) -> None:
    """Keep Sphinx from making its own index; the page is made all the same."""
    app.builder.search = False


def add_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Give the search page."""
    yield "search", {}, "search.html"


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what was read of a page."""
    app.env.metadata[app.env.docname]["search"] = list(parts(doctree))


def write(app: Sphinx, error: Exception | None) -> None:
    """Write all of them as one script."""
    if error is not None or app.builder.format != "html":
        return
    said, found = read_descriptions(Path(app.srcdir)), []
    for page in sorted(app.env.found_docs):
        kept = app.env.metadata[page].get("search", ())
        chapter = chapter_of(page)
        if kept:
            title = f"{chapter} {kept[0][1]}" if chapter else kept[0][1]
            found.append([app.builder.get_target_uri(page), title, said.get(page, ""), kept])
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", "search", "sections.js").write_text(
        f"window.sections = {text};\n", "utf-8"
    )


def setup(app: Sphinx) -> None:
    """Take over before pages are read; read when all is in its place; write last."""
    app.connect("builder-inited", take_over)
    app.connect("html-collect-pages", add_page)
    app.connect("doctree-read", note, priority=950)
    app.connect("build-finished", write)
