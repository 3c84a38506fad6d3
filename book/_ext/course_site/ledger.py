"""The claims ledger: the links from a section to the claim it settles, and the table.

A link ``[Claim A3: holds](claims.md#claim-a3)`` gets its verdict framed. The directive ``claims``
writes a table from ``book/claims.yml``: ``all`` of them, the ``headline`` ones, those of a source
(``A``) in a fold, or the ``counts``, how many have which verdict.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .tables import Row, menus, slug, table

logger = logging.getLogger(__name__)
Claim = dict[str, Any]

VERDICTS = ("holds", "holds if", "misleading", "false", "open")
SOURCES = {
    "A": "A, a blog post with worked numbers",
    "B": "B, a blog post with listings",
    "C": "C, a section of a course",
    "D": "D, a paper with a searched β",
}
TOPICS = {
    "growth": "growth of dot products",
    "variance": "variance of a score",
    "softmax": "softmax and its weights",
    "gradients": "gradients",
    "temperature": "temperature",
    "training": "training and experiments",
    "models": "models",
}
# What the table can be filtered by: the values in order, and how they are named.
FACETS: dict[str, dict[str, str]] = {
    "source": SOURCES,
    "topic": TOPICS,
    "chapter": {str(number): f"chapter {number}" for number in range(1, 9)} | {"none": "none"},
    "verdict": {verdict: verdict for verdict in VERDICTS},
}
COLUMNS = {"Claim": 9, "What it says": 36, "Verdict": 13, "Why": 42}


@cache
def read_claims(folder: Path) -> list[Claim]:
    """Return the claims by source, topic and number, with each facet; every page asks for them."""
    claims = yaml.safe_load((folder / "book" / "claims.yml").read_text(encoding="utf-8"))
    for claim in claims:
        claim["source"] = claim["id"][0]
        claim["chapter"] = claim["section"][2] if claim["section"].startswith("ch") else "none"
        for name in FACETS:
            if claim[name] not in FACETS[name]:
                raise ValueError(f"{claim['id']}: {claim[name]!r} is no {name} of the ledger")
    topics = list(TOPICS)
    return sorted(claims, key=lambda c: (c["source"], topics.index(c["topic"]), int(c["id"][1:])))


def frame_verdicts(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Frame the verdict in a link that says "Claim A1: holds"; a wrong one is an error."""
    claims = read_claims(Path(app.srcdir))
    verdicts = {n: row["verdict"] for row in claims for n in (row["id"], *row.get("also", ()))}
    for link in doctree.findall(nodes.reference):
        said, colon, verdict = link.astext().partition(": ")
        if not colon or not re.search(r"#claim-\w+$", link.get("refuri", "")):
            continue
        name = link["refuri"].partition("#claim-")[2].upper()
        if (said, verdict) != (f"Claim {name}", verdicts.get(name)):
            logger.warning("%r is not what claims.yml says", link.astext(), location=link)
        framed = nodes.inline("", verdict, classes=["verdict", f"verdict-{slug(verdict)}"])
        link.children = [nodes.Text(f"{said}: "), framed]
        link["classes"].append("claim")


def badge(verdict: str) -> str:
    """Return a framed verdict."""
    return f"[{verdict}]{{.verdict .verdict-{slug(verdict)}}}"


def row(claim: Claim, name: str) -> Row:
    """Return the row of a claim, which has its facets as classes."""
    place = "" if claim["chapter"] == "none" else f"Chapter {claim['chapter']}: "
    cells = (
        name,
        f"{claim['says']}\n\n{{.place}}\n{claim['where']}",
        badge(claim["verdict"]),
        f"{claim['why']}\n\n{{.place .settled}}\n{place}[]({claim['section']})",
    )
    return " ".join(f"{facet}-{slug(claim[facet])}" for facet in FACETS), cells


def linked(claim: Claim) -> Row:
    """Return a row that links to its place in the ledger."""
    return row(claim, f"[{claim['id']}](claims.md#claim-{claim['id'].lower()})")


def anchored(claim: Claim) -> Row:
    """Return a row to which links lead, also those to the claims that are told in it."""
    ids = (claim["id"], *claim.get("also", ()))
    name, *others = (f"[{one}]{{#claim-{one.lower()}}}" for one in ids)
    told = f"{{.place}}\nwith {', '.join(others)}\n\n" if others else ""
    return row(claim, f"**{name}**\n\n{told}{{.place}}\n{claim['topic']}")


def counted(claims: list[Claim]) -> list[Row]:
    """Return how many claims of each text have which verdict."""
    rows = []
    for verdict in (*VERDICTS, "all"):
        found = [c["source"] for c in claims if verdict in (c["verdict"], "all")]
        numbers = [*map(found.count, SOURCES), len(found)]
        name = verdict if verdict == "all" else badge(verdict)
        rows.append(("", [name, *(str(number or "–") for number in numbers)]))
    return rows


class Claims(SphinxDirective):
    """A table of claims; ``assets/table-filter.js`` makes the form above the whole one work."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, and what stands around it."""
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        claims, asked = read_claims(Path(self.env.srcdir)), self.arguments[0]
        if asked == "counts":
            widths = {"Verdict": 30} | dict.fromkeys((*SOURCES, "all"), 14)
            return [table(self, "claims-counts", widths, counted(claims))]
        if asked == "headline":
            found = sorted((c for c in claims if asked in c), key=lambda c: c[asked])
            return [table(self, "claims-table", COLUMNS, map(linked, found))]
        if asked == "all":
            rows: list[Row] = []
            for source, title in SOURCES.items():
                own = [anchored(claim) for claim in claims if claim["source"] == source]
                rows += [("group", [title]), *own]
            labels = {name: name.capitalize() for name in FACETS} | {"source": "Text"}
            choices = {name: (labels[name], {"": "all"} | FACETS[name]) for name in FACETS}
            return [menus(choices), table(self, "claims-table filtered", COLUMNS, rows)]
        found = [claim for claim in claims if claim["source"] == asked]
        opening = f"<details><summary>Its {len(found)} rows, each with a verdict</summary>"
        ends = [nodes.raw("", text, format="html") for text in (opening, "</details>")]
        return [ends[0], table(self, "claims-table", COLUMNS, map(linked, found)), ends[1]]


def setup(app: Sphinx) -> None:
    """Register the directive, and frame when links lead where they should."""
    app.add_directive("claims", Claims)
    app.connect("doctree-resolved", frame_verdicts)
