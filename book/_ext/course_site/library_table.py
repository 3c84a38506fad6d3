"""The tables of libraries that were run: ``{libraries}`` writes them from the stored rows.

``side-by-side`` compares two functions, which ``assets/side-by-side.js`` lets a reader choose;
``all`` is one row a function. Both are complete without JavaScript.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d import DATA
from why_sqrt_d.ch8 import libraries
from why_sqrt_d.ch8.libraries import LABELS, Function

from .tables import Row, menus, slug, table

FIRST = ("torch: scaled_dot_product_attention", "jax: nn.dot_product_attention")
COLUMNS = {
    "Function": (34, ()),
    "Scale": (11, ("scale",)),
    "True in a mask": (13, ("bool mask",)),
    "Sees no key": (13, ("empty row, boolean", "empty row, −inf")),
    "Causal; shared heads": (16, ("causal, 2 × 5", "grouped heads")),
    "float16; bfloat16": (13, ("float16", "bfloat16")),
}


def answers(function: Function) -> list[str]:
    """Return a function's answers in the order of the labels."""
    return [function.found.get(behaviour, "–") for behaviour in LABELS]


def side_by_side() -> str:
    """Return the comparison of two functions, and the menu that chooses others."""
    known = {f"{function.title} {function.version}": function for function in libraries.read()}
    newest = {function.title: function for function in libraries.newest()}
    pair = [newest[title] for title in FIRST]
    html = '<div class="side-by-side"><form class="table-facets" hidden>'
    for letter, chosen in zip("AB", pair, strict=True):
        html += f"<label>{letter} <select>"
        for label, function in known.items() if letter == "A" else [(FIRST[1], chosen)]:
            texts = escape("|".join([*answers(function), function.call]))
            html += f'<option data-found="{texts}"{" selected" * (function == chosen)}>'
            html += f"{escape(label)}</option>"
        html += "</select></label>"
    heads = "".join(f"<th scope=col>{escape(f'{x.title} {x.version}')}</th>" for x in pair)
    html += f'</form><table class="table"><thead><tr><th></th>{heads}</tr></thead><tbody>'
    for label, *two in zip(LABELS.values(), *map(answers, pair), strict=True):
        cells = "".join(f"<td>{escape(x)}</td>" for x in two)
        kind = "differs" * (two[0] != two[1])
        html += f'<tr class="{kind}"><th scope=row>{label}</th>{cells}</tr>'
    calls = "".join(f"<td><code>{escape(function.call)}</code></td>" for function in pair)
    return f"{html}<tr><th scope=row>The call</th>{calls}</tr></tbody></table></div>"


def row(function: Function) -> Row:
    """Return the row of a function."""
    about = (
        f"**{function.name}**",
        f"{function.library} {function.version}",
        f"`{function.call}`",
    )
    cells = ["\n\n{.kind}\n".join(about)]
    for label, (_, behaviours) in list(COLUMNS.items())[1:]:
        values = list(dict.fromkeys(function.found[x] for x in behaviours if x in function.found))
        if "stopped" in function.found and label == "Scale":
            values = [function.found["stopped"].partition(":")[0]]
        cells.append(f"[{label}:]{{.on-phone}} {'; '.join(values) or '–'}")
    return f"library-{slug(function.library)}", cells


class Libraries(SphinxDirective):
    """One of the tables."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table, with the form that filters it."""
        self.env.note_dependency(str(DATA / "libraries.jsonl"))
        if self.arguments == ["side-by-side"]:
            return [nodes.raw("", side_by_side(), format="html")]
        names = {x: x for x in dict.fromkeys(function.library for function in libraries.read())}
        widths = {label: width for label, (width, _) in COLUMNS.items()}
        form = menus({"library": ("Library", {"": "all"} | names)})
        return [
            form,
            table(
                self, "models-table libraries-table filtered", widths, map(row, libraries.read())
            ),
        ]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("libraries", Libraries)
