"""The table of real models: ``{real-models}`` writes it from ``why_sqrt_d/ch7/real_models.toml``.

The page is complete without JavaScript; ``assets/table-filter.js`` adds a search field above every
table of class ``filtered`` and makes the form before it work.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.ch7 import real_models as models

from .tables import cell, menus, parse_markdown, table, text_cells

HUB = "https://github.com"
HUGGING_FACE = (f"{HUB}/huggingface/transformers/blob/v5.23.0", "src/transformers/models")
PLACE = re.compile(
    r"(?P<where>HF|[\w.-]+/[\w.-]+@[0-9a-f]{10}) (?P<path>[^\s:]+)(?::(?P<lines>.+))?"
)


def address(place: str) -> str | None:
    """Return the web address of "repository@commit path:lines", or nothing if it is none."""
    found = PLACE.fullmatch(place)
    if found is None:
        return None
    if found["where"] == "HF":
        release, folder = HUGGING_FACE
        path = f"{folder}/{found['path']}".replace("/models/../", "/")
        base = f"{release}/{path}"
    else:
        repository, _, commit = found["where"].partition("@")
        base = f"{HUB}/{repository}/blob/{commit}/{found['path']}"
    first, dash, last = (found["lines"] or "").partition(",")[0].partition("-")
    return base + (f"#L{first}" if first else "") + (f"-L{last}" if dash else "")


def slug(name: str) -> str:
    """Return the end of the address of a model's row."""
    plain = name.lower().replace("μ", "u").replace("√", "root")
    return "model-" + re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


class RealModels(SphinxDirective):
    """The table, one row a model; what stands in the directive is for readers of the source."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the form and the table."""
        self.env.note_dependency(str(Path(models.__file__).with_name("real_models.toml")))
        known = models.read().values()
        head = text_cells(("Model", "Logit from the score s", "Spread", "Where it was read"))
        rows = [self._row(model) for model in known]
        made = table("stacked-table models-table filtered", head, rows, (25, 36, 9, 30), stub=True)
        years = {str(year): str(year) for year in sorted({m.year for m in known if m.year})}
        form = {
            "kind": ("Kind", {"": "all"} | models.KINDS),
            "year": ("Year", {"": "all"} | years),
        }
        return [menus(form), made]

    def _row(self, model: models.Model) -> nodes.row:
        name = nodes.entry("", nodes.paragraph("", "", nodes.strong("", model.name)))
        name["ids"] = [slug(model.name)]
        about = [str(model.year or ""), models.KINDS[model.kind], width(model)]
        name += nodes.paragraph("", " · ".join(filter(None, about)), classes=["kind"])
        formula = nodes.entry("", *parse_markdown(self, model.formula))
        formula += nodes.paragraph("", "", nodes.literal("", model.code), classes=["kind"])
        digits = f"{models.spread(model):.2g}"  # as many as are to be believed
        spread = cell(nodes.inline("", "spread ", classes=["on-phone"]), nodes.Text(digits))
        row = nodes.row("", name, formula, spread, self._where(model))
        row["classes"] = [f"kind-{model.kind}", f"year-{model.year or 'none'}"]
        return row

    def _where(self, model: models.Model) -> nodes.entry:
        made = nodes.entry("")
        for place in model.where.split("; "):
            link = address(place)
            text = nodes.reference("", place, refuri=link) if link else nodes.Text(place)
            made += nodes.paragraph("", "", text, classes=["place"])
        if model.paper:
            made += parse_markdown(self, f"{{cite}}`{model.paper}`")
        return made


def width(model: models.Model) -> str:
    """Return a head's width, and of which sizes; nothing where the formula is tied to none."""
    return f"d = {model.d} ({model.sizes})" if model.d else ""


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("real-models", RealModels)
