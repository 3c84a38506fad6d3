"""The claims ledger: a role that links a section to the claim it settles, and the table.

``{claim}`A3``` shows the claim's id with its verdict as a link into the ledger; ``{said}`0.5```
marks what a source prints, right or wrong; the directive
``{claims-ledger}`` writes the table from ``book/claims.yml``.
"""

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
    """The table of all claims, with the count of each verdict above it."""

    def run(self) -> list[nodes.Node]:
        """Return the counts and the table."""
        claims = read_claims(Path(self.env.srcdir))
        self.env.note_dependency(str(Path(self.env.srcdir) / "book" / "claims.yml"))
        return [self._counts(claims), self._table(claims)]

    def _counts(self, claims: dict[str, dict[str, Any]]) -> nodes.paragraph:
        line = nodes.paragraph("", f"{len(claims)} claims so far: ")
        for verdict in VERDICTS:
            number = sum(claim["verdict"] == verdict for claim in claims.values())
            line += [nodes.Text(f" {number} "), _badge(verdict)]
        return line

    def _table(self, claims: dict[str, dict[str, Any]]) -> nodes.table:
        table = nodes.table(classes=["claims-table"])
        group = nodes.tgroup(cols=4)
        group += [nodes.colspec(colwidth=width) for width in (8, 40, 14, 38)]
        head = nodes.row()
        head += [_cell(nodes.Text(text)) for text in ("Claim", "What it says", "Verdict", "Why")]
        group += nodes.thead("", head)
        group += nodes.tbody("", *[self._row(claim) for claim in claims.values()])
        table += group
        return table

    def _row(self, claim: dict[str, Any]) -> nodes.row:
        name = nodes.strong("", claim["id"])
        first = nodes.entry(
            "",
            nodes.paragraph("", "", name),
            ids=[f"claim-{claim['id'].lower()}"],
        )
        says = nodes.entry("", *self._markdown(claim["says"]))
        why = nodes.entry(
            "",
            *self._markdown(f"{claim['why']} [Settled here]({claim['section']})."),
        )
        row = nodes.row()
        row += [first, says, _cell(_badge(claim["verdict"])), why]
        return row

    def _markdown(self, text: str) -> list[nodes.Node]:
        holder = nodes.Element()
        holder.document = self.state.document
        self.state.nested_parse([text], self.content_offset, holder)
        return list(holder.children)


def setup(app: Sphinx) -> None:
    """Register the role and the directive."""
    app.add_role("said", SaidRole())
    app.add_role("claim", ClaimRole())
    app.add_directive("claims-ledger", ClaimsLedger)
