"""The claims ledger: a role that links a section to the claim it settles, and the table.

``{claim}`A3``` shows the claim's id with its verdict as a link into the ledger; ``{said}`0.5```
marks what a source prints, right or wrong; the directive
``{claims-ledger}`` writes the table from ``book/claims.yml``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

logger = logging.getLogger(__name__)

LEDGER_PAGE = "book/claims"
VERDICTS = ("holds", "holds if", "misleading", "false", "not checkable")
SOURCES = ("A", "B", "C", "D")
# What the table can be filtered by, and how a claim's value of it is found.
FACETS: dict[str, Callable[[dict[str, Any]], str]] = {
    "source": lambda claim: claim["source"],
    "chapter": lambda claim: claim["section"][2 : claim["section"].index("-")],
    "verdict": lambda claim: claim["verdict"],
}


def read_claims(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the claims by id."""
    rows = yaml.safe_load((folder / "book" / "claims.yml").read_text(encoding="utf-8"))
    return {row["id"]: row for row in rows}


def _badge(verdict: str) -> nodes.inline:
    return nodes.inline("", verdict, classes=["verdict", f"verdict-{verdict.replace(' ', '-')}"])


class ClaimRole(SphinxRole):
    """A claim's id and verdict, linked to its row."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the role's nodes."""
        claim = read_claims(Path(self.env.srcdir)).get(self.text)
        if claim is None:
            logger.warning(
                "no claim %r in book/claims.yml",
                self.text,
                location=self.get_location(),
            )
            return [], []
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        link = nodes.reference("", "", internal=True, classes=["claim"])
        uri = self.env.app.builder.get_relative_uri(self.env.docname, LEDGER_PAGE)
        link["refuri"] = f"{uri}#claim-{self.text.lower()}"
        link += [nodes.Text(f"Claim {self.text}: "), _badge(claim["verdict"])]
        return [link], []


def _cell(*children: nodes.Node) -> nodes.entry:
    return nodes.entry("", nodes.paragraph("", "", *children))


class SaidRole(SphinxRole):
    """A number or phrase as a source prints it, in quotation marks; cite the source beside it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the role's nodes."""
        return [nodes.inline("", f"“{self.text}”", classes=["said"])], []


class ClaimsLedger(SphinxDirective):
    """The table of all claims, with counts above it and a form that filters it."""

    def run(self) -> list[nodes.Node]:
        """Return the counts, the form and the table."""
        claims = list(read_claims(Path(self.env.srcdir)).values())
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        form = nodes.raw("", _form(claims), format="html")
        return [self._counts(claims), form, self._table(claims)]

    def _counts(self, claims: list[dict[str, Any]]) -> nodes.table:
        rows = []
        for source in (*SOURCES, "All"):
            own = [claim["verdict"] for claim in claims if source in (claim["source"], "All")]
            numbers = [own.count(verdict) for verdict in VERDICTS] + [len(own)]
            cells = [_cell(nodes.Text(str(number) if number else "–")) for number in numbers]
            rows.append(nodes.row("", _cell(nodes.Text(source)), *cells))
        head = [_cell(nodes.Text("Source")), *(_cell(_badge(v)) for v in VERDICTS)]
        return _table("claims-counts", [*head, _cell(nodes.Text("all"))], rows, (10, *(15,) * 6))

    def _table(self, claims: list[dict[str, Any]]) -> nodes.table:
        head = [_cell(nodes.Text(t)) for t in ("Claim", "What it says", "Verdict", "Why")]
        rows = [self._row(claim) for claim in claims]
        return _table("claims-table filtered", head, rows, (8, 38, 14, 40))

    def _row(self, claim: dict[str, Any]) -> nodes.row:
        name = nodes.paragraph("", "", nodes.strong("", claim["id"]))
        first = nodes.entry("", name, ids=[f"claim-{claim['id'].lower()}"])
        says = nodes.entry("", *self._markdown(claim["says"]))
        test = nodes.literal("", claim["test"].removeprefix("tests/claims/"), classes=["place"])
        why = nodes.entry(
            "",
            *self._markdown(f"{claim['why']} [Settled here]({claim['section']})."),
            nodes.paragraph("", "", test),
        )
        row = nodes.row("", first, says, _cell(_badge(claim["verdict"])), why)
        row["classes"] = [f"{facet}-{_slug(of(claim))}" for facet, of in FACETS.items()]
        return row

    def _markdown(self, text: str) -> list[nodes.Node]:
        holder = nodes.Element()
        holder.document = self.state.document
        self.state.nested_parse([text], self.content_offset, holder)
        return list(holder.children)


def _table(
    classes: str, head: list[nodes.Node], rows: list[nodes.row], widths: tuple[int, ...]
) -> nodes.table:
    table = nodes.table(classes=classes.split())
    group = nodes.tgroup(cols=len(widths))
    group += [nodes.colspec(colwidth=width, stub=int(i == 0)) for i, width in enumerate(widths)]
    group += [nodes.thead("", nodes.row("", *head)), nodes.tbody("", *rows)]
    table += group
    return table


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
    return f'<form class="table-facets" hidden>{"".join(fields)}</form>'


def setup(app: Sphinx) -> None:
    """Register the role and the directive."""
    app.add_role("said", SaidRole())
    app.add_role("claim", ClaimRole())
    app.add_directive("claims-ledger", ClaimsLedger)
