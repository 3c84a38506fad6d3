"""Say below a figure of stored rows how a number of it is cited.

A paragraph such as ``*Rows:* [needle.jsonl](data/needle.jsonl) `margin=5.0` `` names the files,
which the site has to download, and what `why_sqrt_d.rows.select` takes to choose the rows.
"""

from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from why_sqrt_d.about import About

LEAD = "Rows: "


def cite(app: Sphinx, doctree: nodes.document) -> None:
    """Add to each such paragraph what is copied: title, version, place, file and filter."""
    about, address = About.read(Path(app.srcdir)), app.builder.get_target_uri(app.env.docname)
    for line in doctree.findall(nodes.paragraph):
        if not line.astext().startswith(LEAD) or not isinstance(line[0], nodes.emphasis):
            continue
        section = line.parent
        while not isinstance(section, nodes.section):
            section = section.parent
        place = f"{about.site or about.title}, version {about.version}, {address}"
        rows = line.astext().removeprefix(LEAD)
        text = f"{about.people} ({about.date[:4]}). {place}#{section['ids'][0]}: rows of {rows}."
        html = f"<details><summary>Cite this number</summary><p>{escape(text)}</p></details>"
        line["classes"].append("rows")  # which the search passes over
        line.parent.insert(line.parent.index(line) + 1, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> None:
    """Run when a page was read."""
    app.connect("doctree-read", cite)
