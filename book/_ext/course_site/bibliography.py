"""The bibliography by name, each entry with links back to the pages that cite it."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.template import names, sentence
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .reading import chapter_of

PAGE = "book/bibliography"
IN_HTML = re.compile(r'href="[^"]*bibliography\.html#([\w-]+)"')


class ByName(Style):
    """Pybtex's plain style, with the names by which the entries are sorted in front."""

    default_name_style = "lastfirst"

    def format_names(self, role: str, as_sentence: bool = True) -> Any:
        """Return all names; none of them is left out."""
        listed = names(role, sep="; ", sep2="; ", last_sep="; ")
        return sentence[listed] if as_sentence else listed


def cited(doctree: nodes.document) -> Iterator[str]:
    """Yield the keys of the entries to which a page links."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "cite":
            yield from str(node["reftarget"]).split(",")
        elif PurePosixPath(node.get("reftarget", "")).stem == "bibliography":
            yield node.get("reftargetid") or ""
    for link in doctree.findall(nodes.reference):  # of the package's reference
        yield from IN_HTML.findall(f'href="{link.get("refuri", "")}"')
    for raw in doctree.findall(nodes.raw):  # exercises
        yield from IN_HTML.findall(raw.astext())


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what a page cites with what is known of the page."""
    name = app.env.docname
    app.env.metadata[name]["cites"] = set(cited(doctree)) if name != PAGE else set()


def write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the bibliography whenever any page has changed."""
    return [PAGE]


def add_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Drop the entries' numbers, which nothing refers to, and add the pages that cite each."""
    if docname != PAGE:
        return
    env = app.env
    pages = sorted(env.found_docs, key=lambda page: page.replace("/0", "/"))
    entries = sorted(doctree.findall(nodes.citation), key=lambda entry: letters(entry[1].astext()))
    for entry in entries:
        for link in entry.findall(nodes.reference):  # the theme has cut the address to its host
            if link.astext().partition(":")[0] not in ("doi", "arXiv"):
                link.children = [nodes.Text(link["refuri"].removeprefix("https://"))]
                link["classes"] = []  # nor does it need the host's sign
        line = nodes.inline("", "Cited in ", classes=["cited-in"])
        for page in pages:
            if entry["ids"][0] in env.metadata[page].get("cites", ()):
                address = app.builder.get_relative_uri(PAGE, page)
                link = nodes.reference("", said(env, page), refuri=address, internal=True)
                line += [link, nodes.Text(" · ")]
        line[-1] = nodes.Text(".")
        entry[-1] += [nodes.Text(" "), line]
        del entry[0]
    if entries:
        entries[0].parent.children = entries


def letters(text: str) -> str:
    """Return a text as the alphabet orders it: é as e, and no capitals."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def said(env: BuildEnvironment, page: str) -> str:
    """Return what a page is called in a list of pages."""
    chapter = chapter_of(page)
    return f"chapter {chapter}" if chapter else env.titles[page].astext()


def setup(app: Sphinx) -> None:
    """Note while pages are read, link when the bibliography is written."""
    register_plugin("pybtex.style.formatting", "by-name", ByName)
    app.connect("doctree-read", note, priority=950)
    app.connect("env-updated", write_again)
    app.connect("doctree-resolved", add_links)
