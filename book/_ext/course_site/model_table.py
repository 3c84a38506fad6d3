"""The table of real models: ``{real-models}`` writes it from ``why_sqrt_d/ch8/real_models.toml``.

The page is complete without JavaScript; ``assets/table-filter.js`` adds a search field above every
table of class ``filtered`` and makes the form before it work.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d import DATA
from why_sqrt_d.ch8 import libraries
from why_sqrt_d.ch8 import real_models as models

from .tables import Row, menus, table

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


def row_anchor(name: str) -> str:
    """Return the end of the address of a model's row."""
    plain = name.lower().replace("μ", "u").replace("√", "root")
    return "model-" + re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def row(model: models.Model) -> Row:
    """Return a model's row: what it is, formula and code, spread, and where it was read."""
    width = f"d = {model.d} ({model.sizes})" if model.d else ""  # tied to one, and of which sizes
    about = " · ".join(filter(None, (str(model.year or ""), models.KINDS[model.kind], width)))
    places = []
    for place in model.where.split("; "):
        text, link = place.replace("__", r"\_\_"), address(place)
        places.append("{.place}\n" + (f"[{text}]({link})" if link else text))
    if model.name in libraries.RUN:
        [one] = [x for x in libraries.newest() if x.title == libraries.RUN[model.name]]
        said = f"{one.library.partition(' on ')[0]} {one.version}: {one.found['scale']}"
        places.append(f"{{.place}}\nrun, [{said}](8d-libraries.ipynb#ch8d-scale)")
    cells = (
        f"[**{model.name}**]{{#{row_anchor(model.name)}}}\n\n{{.kind}}\n{about}",
        f"{model.formula}\n\n{{.kind}}\n`{model.code}`",
        f"[spread]{{.on-phone}} {models.spread(model):.2g}",  # digits that are to be believed
        "\n\n".join([*places, f"{{cite}}`{model.paper}`" if model.paper else ""]),
    )
    return f"kind-{model.kind} year-{model.year or 'none'}", cells


class RealModels(SphinxDirective):
    """The table, one row a model; what stands in the directive is for readers of the source."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the form and the table."""
        self.env.note_dependency(str(Path(models.__file__).with_name("real_models.toml")))
        self.env.note_dependency(str(DATA / "libraries.jsonl"))
        known = models.read().values()
        years = {str(year): str(year) for year in sorted({m.year for m in known if m.year})}
        form = {
            "kind": ("Kind", {"": "all"} | models.KINDS),
            "year": ("Year", {"": "all"} | years),
        }
        widths = {"Model": 25, "Logit from the score s": 36, "Spread": 9, "Where it was read": 30}
        return [menus(form), table(self, "models-table filtered", widths, map(row, known))]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("real-models", RealModels)
