"""The table of real models: ``{real-models}`` writes it from ``book/real-models.yml``.

The page is complete without JavaScript; ``assets/table-filter.js`` adds a search field above every
table of class ``filtered``.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .tables import parse_markdown, table, text_cells

KINDS = {
    "root": "1/√d",
    "other": "another divisor, or none",
    "norm": "normalised q and k",
    "cap": "bounded",
    "length": "grows with length",
    "learned": "learned",
}

# A long table scrolls in a box of its own, which the keyboard can reach.
OPEN = '<div class="table-box" role="region" aria-label="Table of real models" tabindex="0">'


def read_models(folder: Path) -> list[dict[str, Any]]:
    """Return the rows in the file's order."""
    text = (folder / "book" / "real-models.yml").read_text(encoding="utf-8")
    return list(yaml.safe_load(text))


class RealModels(SphinxDirective):
    """The table, one row a model; what stands in the directive is for readers of the notebook."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        source = Path(self.env.srcdir)
        self.env.note_dependency(str(source / "book" / "real-models.yml"))
        head = text_cells(("Model", "Logit from the score s", "Where it stands"))
        rows = [self._row(row) for row in read_models(source)]
        made = table("stacked-table models-table filtered", head, rows, (25, 32, 43))
        return [nodes.raw("", OPEN, format="html"), made, nodes.raw("", "</div>", format="html")]

    def _row(self, row: dict[str, Any]) -> nodes.row:
        where = nodes.inline("", row["where"], classes=["place"])
        last = nodes.entry("", nodes.paragraph("", "", where))
        if row.get("paper"):
            last += parse_markdown(self, f"{{cite}}`{row['paper']}`")
        formula = nodes.entry("", *parse_markdown(self, row["formula"]))
        name = nodes.entry("", nodes.paragraph("", "", nodes.strong("", row["model"])))
        name += nodes.paragraph("", KINDS[row["kind"]], classes=["kind"])
        return nodes.row("", name, formula, last)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("real-models", RealModels)
