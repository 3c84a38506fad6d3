"""The claims ledger: the links from a section to the claim it settles, and the table.

A link ``[Claim A3: holds](claims.md#claim-a3)`` gets its verdict framed. Four directives write
tables from ``book/claims.yml``: ``claims-ledger`` all rows, ``claims-of A`` those of a source in
a fold, ``headline-claims`` those that matter most, ``claims-counts`` how many have which verdict.
"""

import re
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .tables import cell, menus, parse_markdown, slug, table, text_cells

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
# What the table can be filtered and grouped by: the values in order, and how a group is headed.
FACETS: dict[str, dict[str, str]] = {
    "source": SOURCES,
    "topic": TOPICS,
    "chapter": {str(number): f"chapter {number}" for number in range(1, 8)} | {"none": "none"},
    "verdict": {verdict: verdict for verdict in VERDICTS},
}


def facets_of(claim: Claim) -> dict[str, str]:
    """Return a claim's value of each facet."""
    section = claim["section"]
    chapter = section[2] if section.startswith("ch") else "none"
    own = {name: claim[name] for name in ("topic", "verdict")}
    return {"source": claim["id"][0], "chapter": chapter, **own}


@cache
def read_claims(folder: Path) -> list[Claim]:
    """Return the claims as the file has them; every page asks for them."""
    return list(yaml.safe_load((folder / "book" / "claims.yml").read_text(encoding="utf-8")))


def _badge(verdict: str) -> nodes.inline:
    return nodes.inline("", verdict, classes=["verdict", f"verdict-{slug(verdict)}"])


def _small(text: str) -> nodes.paragraph:
    return nodes.paragraph("", text, classes=["place"])


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
        link.children = [nodes.Text(f"{said}: "), _badge(verdict)]
        link["classes"].append("claim")


class ClaimsOf(SphinxDirective):
    """The rows of one source, folded; each links to its place in the ledger."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the fold with the table."""
        found = [claim for claim in self.claims() if claim["id"][0] == self.arguments[0]]
        opening = f"<details><summary>Its {len(found)} rows, each with a verdict</summary>"
        ends = [nodes.raw("", text, format="html") for text in (opening, "</details>")]
        return [ends[0], self.table([self.row(claim) for claim in found]), ends[1]]

    def claims(self) -> list[Claim]:
        """Return all rows by text, topic and number; the page follows when they change."""
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        topics = list(TOPICS)

        def place(claim: Claim) -> tuple[str, int, int]:
            return claim["id"][0], topics.index(claim["topic"]), int(claim["id"][1:])

        return sorted(read_claims(Path(self.env.srcdir)), key=place)

    def table(self, rows: list[nodes.row], extra: str = "") -> nodes.table:
        """Return a table of these rows."""
        head = text_cells(("Claim", "What it says", "Verdict", "Why"))
        classes = f"stacked-table claims-table {extra}"
        return table(classes, head, rows, (9, 36, 13, 42), stub=True)

    def name_cell(self, claim: Claim) -> nodes.entry:
        """Return the cell with the claim's name."""
        anchor = f"claim-{claim['id'].lower()}"
        return nodes.entry("", *parse_markdown(self, f"[{claim['id']}](claims.md#{anchor})"))

    def row(self, claim: Claim) -> nodes.row:
        """Return the row of a claim."""
        says = nodes.entry("", *parse_markdown(self, claim["says"]), _small(claim["where"]))
        why = nodes.entry("", *parse_markdown(self, claim["why"]))
        facets = facets_of(claim)
        (settled,) = parse_markdown(self, f"[]({claim['section']})")
        settled["classes"] += ["place", "settled"]
        if facets["chapter"] != "none":
            settled.insert(0, nodes.Text(f"Chapter {facets['chapter']}: "))
        why += settled
        row = nodes.row("", self.name_cell(claim), says, cell(_badge(claim["verdict"])), why)
        row["classes"] = [f"{name}-{slug(value)}" for name, value in facets.items()]
        return row


class HeadlineClaims(ClaimsOf):
    """The rows that matter most, in their order."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        found = sorted((c["headline"], c["id"], c) for c in self.claims() if "headline" in c)
        return [self.table([self.row(claim) for *_, claim in found])]


class ClaimsLedger(ClaimsOf):
    """The table of all claims, in groups, with a form above it that filters and regroups it."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """Return the form, which ``assets/table-filter.js`` makes work, and the table."""
        rows = []
        for source, group in groupby(self.claims(), key=lambda claim: claim["id"][0]):
            heading = cell(nodes.Text(SOURCES[source]))
            heading["morecols"] = 3
            rows += [nodes.row("", heading, classes=["group"]), *map(self.row, group)]
        labels = {name: name.capitalize() for name in FACETS} | {"source": "Text"}
        choices = {name: (labels[name], {"": "all"} | FACETS[name]) for name in FACETS}
        orders = {name: f"by {label.lower()}" for name, label in labels.items()}
        form = menus(choices | {"group": ("Groups", orders)})
        return [form, self.table(rows, "filtered")]

    def name_cell(self, claim: Claim) -> nodes.entry:
        """Return the cell that links to a claim lead to, and to those told in the same row."""
        others = claim.get("also", ())
        name = nodes.paragraph("", "", nodes.strong("", claim["id"]))
        ids = [f"claim-{one.lower()}" for one in (claim["id"], *others)]
        told = [_small(f"with {', '.join(others)}")] if others else []
        return nodes.entry("", name, *told, _small(claim["topic"]), ids=ids)


class ClaimsCounts(ClaimsOf):
    """How many claims of each text have which verdict."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        claims, rows = self.claims(), []
        for verdict in (*VERDICTS, "all"):
            found = [claim["id"][0] for claim in claims if verdict in (claim["verdict"], "all")]
            numbers = [*map(found.count, SOURCES), len(found)]
            name = nodes.Text(verdict) if verdict == "all" else _badge(verdict)
            texts = text_cells(str(number) if number else "–" for number in numbers)
            rows.append(nodes.row("", cell(name), *texts))
        head = text_cells(("Verdict", *SOURCES, "all"))
        return [table("claims-counts", head, rows, (30, *(14,) * 5), stub=True)]


def setup(app: Sphinx) -> None:
    """Register the directives, and frame when links lead where they should."""
    app.add_directive("claims-counts", ClaimsCounts)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_directive("claims-of", ClaimsOf)
    app.add_directive("headline-claims", HeadlineClaims)
    app.connect("doctree-resolved", frame_verdicts)
