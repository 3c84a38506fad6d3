"""The bibliography by name, each entry with links back to the pages that cite it."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.template import names, sentence
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .reading import chapter_of

PAGE = "book/bibliography"
ENTRY = re.compile(r"bibliography\.html#([\w-]+)")


class ByName(Style):
    """Pybtex's plain style, with the names by which the entries are sorted in front."""

    default_name_style = "lastfirst"

    def format_names(self, role: str, as_sentence: bool = True) -> Any:
        """Return all names; none of them is left out."""
        listed = names(role, sep="; ", sep2="; ", last_sep="; ")
        return sentence[listed] if as_sentence else listed


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the keys of the entries to which a page links, with what is known of the page."""
    name, found = app.env.docname, set()
    for node in doctree.findall(nodes.Element):
        target = str(node.get("reftarget", ""))
        if node.get("refdomain") == "cite":
            found.update(target.split(","))
        elif PurePosixPath(target).stem == "bibliography":
            found.add(node.get("reftargetid"))
        else:  # links of the package's reference, exercises
            html = node.astext() if isinstance(node, nodes.raw) else node.get("refuri", "")
            found.update(ENTRY.findall(html))
    app.env.metadata[name]["cites"] = found if name != PAGE else set()


def add_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Drop the entries' numbers, which nothing refers to, and add the pages that cite each."""
    if docname != PAGE:
        return
    env = app.env
    pages = sorted(env.found_docs, key=lambda page: page.replace("/0", "/"))
    entries = sorted(doctree.findall(nodes.citation), key=lambda one: sort_key(one[-1].astext()))
    for entry in entries:
        del entry[:-1]  # its number and, where the page is written again unread, its last state
        for link in entry.findall(nodes.reference):  # the theme has cut the address to its host
            if link.astext().partition(":")[0] not in ("doi", "arXiv"):
                link.children = [nodes.Text(link["refuri"].removeprefix("https://"))]
                link["classes"] = []  # nor does it need the host's sign
        line = nodes.inline("", "Cited in ", classes=["cited-in"])
        for page in pages:
            if entry["ids"][0] in env.metadata[page].get("cites", ()):
                address = app.builder.get_relative_uri(PAGE, page)
                link = nodes.reference("", page_label(env, page), refuri=address, internal=True)
                line += [link, nodes.Text(" · ")]
        line[-1] = nodes.Text(".")
        entry[-1] += [nodes.Text(" "), line]
    if entries:
        entries[0].parent.children = entries


def sort_key(text: str) -> str:
    """Return a text as the alphabet orders it: é as e, and no capitals."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def page_label(env: BuildEnvironment, page: str) -> str:
    """Return what a page is called in a list of pages."""
    chapter = chapter_of(page)
    return f"chapter {chapter}" if chapter else env.titles[page].astext()


def setup(app: Sphinx) -> None:
    """Note while pages are read, link when the bibliography is written."""
    register_plugin("pybtex.style.formatting", "by-name", ByName)
    app.connect("doctree-read", note, priority=950)
    app.connect("doctree-resolved", add_links)
