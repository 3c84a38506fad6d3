"""What the API reference adds to Sphinx's autodoc: links in docstrings.

A name in single backticks is a link when the reference documents it, in whatever module, and plain
code when not: it may be an argument. The pages themselves list the names, by theme. The year of a
source that a docstring cites is a link to its entry in the bibliography.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils.nodes import Element
from pybtex.database import parse_file
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode


def resolve(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, contnode: Element
) -> Element | None:
    """Link a name to its module's entry; leave arguments and lists of exceptions as they stand."""
    target = str(node["reftarget"])
    if node["reftype"] == "exc" and "," in target:
        return contnode
    if node["reftype"] != "obj":
        return None
    found = [
        (name, entry)
        for name, entry in env.get_domain("py").data["objects"].items()
        if name.endswith(f".{target}") and entry.objtype in ("function", "class", "data")
    ]
    if len(found) != 1:
        return contnode
    [(name, entry)] = found
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, name)


@cache
def sources(path: Path) -> dict[str, re.Pattern[str]]:
    """Return how a docstring names each source, "Dao et al. (2022)" for example, by its key."""
    found = {}
    for key, source in parse_file(path).entries.items():
        name = re.escape(" ".join(map(str, source.persons["author"][0].rich_last_names)))
        year = source.fields.get("year", "")
        if year.isdigit():
            found[key] = re.compile(rf"(\b{name}\b[^;:()`]{{0,50}}?\(?)({year})\b")
    return found


def link_sources(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Make links of the years of the sources that a docstring cites."""
    text = "\n".join(lines)
    for key, pattern in sources(Path(app.srcdir, "book", "references.bib")).items():
        text = pattern.sub(rf"\1`\2 <../bibliography.html#{key}>`__", text)
    lines[:] = text.split("\n")


def setup(app: Sphinx) -> None:
    """Register the listeners."""
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", link_sources)
