"""The claims ledger: the links from a section to the claim it settles, and the table.

A link ``[Claim A3: holds](claims.md#claim-a3)`` gets its verdict framed. Three directives write
tables from ``book/claims.yml``: ``claims-ledger`` all rows, ``claims-of A`` those of a source,
``headline-claims`` those that matter most.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .tables import cell, parse_markdown, table, text_cells

logger = logging.getLogger(__name__)

LEDGER_PAGE = "book/claims"
VERDICTS = ("holds", "holds if", "misleading", "false", "open")
SOURCES = ("A", "B", "C", "D")
# What the table can be filtered by, and how a claim's value of it is found.
FACETS: dict[str, Callable[[dict[str, Any]], str]] = {
    "source": lambda claim: claim["source"],
    "chapter": lambda claim: s[2] if (s := claim["section"]).startswith("ch") else "none",
    "verdict": lambda claim: claim["verdict"],
}


def read_claims(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the claims by id."""
    path = folder / "book" / "claims.yml"
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _parsed(path: Path, changed: int) -> dict[str, dict[str, Any]]:
    """Read the file once a version: every page asks for it."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {row["id"]: row for row in rows}


def by_name(claims: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the row of each id, those of a claim told in another's row (`also`) too."""
    return {name: row for row in claims.values() for name in (row["id"], *row.get("also", ()))}


def _badge(verdict: str) -> nodes.inline:
    return nodes.inline("", verdict, classes=["verdict", f"verdict-{verdict.replace(' ', '-')}"])


def frame_verdicts(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Frame the verdict in a link that says "Claim A1: holds"; a wrong one is an error."""
    claims = by_name(read_claims(Path(app.srcdir)))
    for link in doctree.findall(nodes.reference):
        said, colon, verdict = link.astext().partition(": ")
        if not colon or not re.search(r"#claim-\w+$", link.get("refuri", "")):
            continue
        name = link["refuri"].partition("#claim-")[2].upper()
        if (said, verdict) != (f"Claim {name}", claims.get(name, {}).get("verdict")):
            logger.warning("%r is not what claims.yml says", link.astext(), location=link)
        link.children = [nodes.Text(f"{said}: "), _badge(verdict)]
        link["classes"].append("claim")


class ClaimsOf(SphinxDirective):
    """The rows of one source; each links to its place in the ledger."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        source = self.arguments[0]
        return [self.table([claim for claim in self.claims() if claim["source"] == source])]

    def claims(self) -> list[dict[str, Any]]:
        """Return all rows; the page is written again when they change."""
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        return list(read_claims(Path(self.env.srcdir)).values())

    def table(self, claims: list[dict[str, Any]], extra: str = "") -> nodes.table:
        """Return a table of these rows."""
        head = text_cells(("Claim", "What it says", "Verdict", "Why"))
        rows = [self._row(claim) for claim in claims]
        classes = f"stacked-table claims-table {extra}"
        return table(classes, head, rows, (8, 38, 14, 40), stub=True)

    def name_cell(self, claim: dict[str, Any]) -> nodes.entry:
        """Return the cell with the claim's name."""
        anchor = f"claim-{claim['id'].lower()}"
        return nodes.entry("", *parse_markdown(self, f"[{claim['id']}](claims.md#{anchor})"))

    def _row(self, claim: dict[str, Any]) -> nodes.row:
        says = nodes.entry("", *parse_markdown(self, claim["says"]))
        test = nodes.literal("", claim["test"].removeprefix("tests/claims/"), classes=["place"])
        why = nodes.entry(
            "",
            *parse_markdown(self, f"{claim['why']} [Settled here]({claim['section']})."),
            nodes.paragraph("", "", test),
        )
        row = nodes.row("", self.name_cell(claim), says, cell(_badge(claim["verdict"])), why)
        row["classes"] = [f"{facet}-{_slug(of(claim))}" for facet, of in FACETS.items()]
        return row


class HeadlineClaims(ClaimsOf):
    """The rows that matter most, in their order."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        return [self.table(headlines(self.claims()))]


class ClaimsLedger(ClaimsOf):
    """The table of all claims, with counts above it and a form that filters it."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """Return the counts, the form and the table."""
        claims = self.claims()
        form = nodes.raw("", _form(claims), format="html")
        return [self._counts(claims), form, self.table(claims, "filtered")]

    def name_cell(self, claim: dict[str, Any]) -> nodes.entry:
        """Return the cell that links to a claim lead to, and to those told in the same row."""
        name = nodes.paragraph("", "", nodes.strong("", claim["id"]))
        ids = [f"claim-{one.lower()}" for one in (claim["id"], *claim.get("also", ()))]
        return nodes.entry("", name, ids=ids)

    def _counts(self, claims: list[dict[str, Any]]) -> nodes.table:
        rows = []
        for verdict in (*VERDICTS, "all"):
            found = [claim["source"] for claim in claims if verdict in (claim["verdict"], "all")]
            numbers = [*map(found.count, SOURCES), len(found)]
            (name,) = text_cells([verdict]) if verdict == "all" else [cell(_badge(verdict))]
            texts = text_cells(str(number) if number else "–" for number in numbers)
            rows.append(nodes.row("", name, *texts))
        head = text_cells(("Verdict", *SOURCES, "all"))
        return table("claims-counts", head, rows, (30, *(14,) * 5), stub=True)


def headlines(claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that have a place among the headlines, in that order."""
    return sorted((c for c in claims if "headline" in c), key=lambda claim: claim["headline"])


def _slug(value: str) -> str:
    return value.lower().replace(" ", "-")


def _form(claims: list[dict[str, Any]]) -> str:
    """Return one choice a facet; ``assets/table-filter.js`` shows the form and makes it work."""
    fields = []
    for facet, of in FACETS.items():
        values = {of(claim) for claim in claims}
        known = [v for v in VERDICTS if v in values] if facet == "verdict" else sorted(values)
        options = "".join(f'<option value="{_slug(v)}">{v}</option>' for v in known)
        fields.append(
            f'<label>{facet.capitalize()} <select name="{facet}">'
            f'<option value="">all</option>{options}</select></label>'
        )
    orders = "".join(f'<option value="{name}">by {name}</option>' for name in FACETS)
    fields.append(
        '<label>Order <select name="order"><option value="">of the texts</option>'
        f"{orders}</select></label>"
    )
    return f'<form class="table-facets" hidden>{"".join(fields)}</form>'


def setup(app: Sphinx) -> None:
    """Register the directives, and frame when links lead where they should."""
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_directive("claims-of", ClaimsOf)
    app.add_directive("headline-claims", HeadlineClaims)
    app.connect("doctree-resolved", frame_verdicts)
