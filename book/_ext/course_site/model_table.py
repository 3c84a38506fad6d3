"""The table of real models: ``{real-models}`` writes it from ``why_sqrt_d/ch7/models.toml``.

The page is complete without JavaScript; ``assets/table-filter.js`` adds a search field above every
table of class ``filtered`` and makes the form before it work.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.ch7 import models

from .tables import cell, parse_markdown, table, text_cells

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
        self.env.note_dependency(str(Path(models.__file__).with_name("models.toml")))
        known = models.read().values()
        head = text_cells(("Model", "Logit from the score s", "Spread", "Where it was read"))
        rows = [self._row(model) for model in known]
        made = table("stacked-table models-table filtered", head, rows, (25, 36, 9, 30), stub=True)
        return [nodes.raw("", form(list(known)), format="html"), made]

    def _row(self, model: models.Model) -> nodes.row:
        name = nodes.entry("", nodes.paragraph("", "", nodes.strong("", model.name)))
        name["ids"] = [slug(model.name)]
        about = [str(model.year or ""), models.KINDS[model.kind], width(model)]
        name += nodes.paragraph("", " · ".join(filter(None, about)), classes=["kind"])
        formula = nodes.entry("", *parse_markdown(self, model.formula))
        formula += nodes.paragraph("", "", nodes.literal("", model.code), classes=["kind"])
        spread = cell(nodes.inline("", "spread ", classes=["on-phone"]), nodes.Text(said(model)))
        row = nodes.row("", name, formula, spread, self._where(model))
        row["classes"] = [f"kind-{model.kind}", f"year-{model.year or 'none'}"]
        return row

    def _where(self, model: models.Model) -> nodes.entry:
        made = nodes.entry("")
        for place in model.where.split("; "):
            link = address(place)
            text = place if link is None else ""
            line = nodes.paragraph("", text, classes=["place"])
            if link:
                line += nodes.reference("", place, refuri=link)
            made += line
        if model.paper:
            made += parse_markdown(self, f"{{cite}}`{model.paper}`")
        return made


def width(model: models.Model) -> str:
    """Return a head's width in words; nothing where the formula is tied to none."""
    count = f" ({model.heads} heads)" if model.heads.isdigit() else f" (heads: {model.heads})"
    return f"d = {model.d}{count if model.heads else ''}" if model.d else ""


def said(model: models.Model) -> str:
    """Return the spread of the model's logits with as many digits as are to be believed."""
    return f"{models.spread(model):.2g}"


def form(known: list[models.Model]) -> str:
    """Return the menus; ``assets/table-filter.js`` shows them and makes them work."""
    kinds = [(kind, text) for kind, text in models.KINDS.items()]
    years = [(str(year), str(year)) for year in sorted({m.year for m in known if m.year})]
    fields = []
    for name, values in (("kind", kinds), ("year", years)):
        options = "".join(f'<option value="{value}">{text}</option>' for value, text in values)
        fields.append(
            f'<label>{name.capitalize()} <select name="{name}">'
            f'<option value="">all</option>{options}</select></label>'
        )
    return f'<form class="table-facets" hidden>{"".join(fields)}</form>'


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("real-models", RealModels)
