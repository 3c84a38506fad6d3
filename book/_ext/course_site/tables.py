"""Tables that directives make of cells in Markdown."""

from collections.abc import Iterable, Mapping, Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

Row = tuple[str, Sequence[str]]  # its classes, and its cells


def parse_markdown(directive: SphinxDirective, text: str) -> list[nodes.Node]:
    """Return the nodes of a piece of MyST."""
    holder = nodes.Element()
    holder.document = directive.state.document
    directive.state.nested_parse(text.split("\n"), directive.content_offset, holder)
    return list(holder.children)


def table(
    directive: SphinxDirective, classes: str, widths: Mapping[str, int], rows: Iterable[Row]
) -> nodes.table:
    """Return a table; `widths` are those of the named columns.

    The first cell of a row is its heading, and one that stands alone is as wide as the table.
    """

    def made(cells: Iterable[str], classes: str = "") -> nodes.row:
        entries = [nodes.entry("", *parse_markdown(directive, text)) for text in cells]
        entries[-1]["morecols"] = len(widths) - len(entries)
        return nodes.row("", *entries, classes=classes.split())

    group = nodes.tgroup(cols=len(widths))
    group += [nodes.colspec(colwidth=width) for width in widths.values()]
    group[0]["stub"] = 1
    group += nodes.thead("", made(widths))
    group += nodes.tbody("", *[made(cells, kind) for kind, cells in rows])
    # or nobody is told the widths
    return nodes.table("", group, classes=[*classes.split(), "stacked-table", "colwidths-given"])


def slug(value: str) -> str:
    """Return a value as it stands in an address or a class."""
    return value.lower().replace(" ", "-")


def menus(choices: Mapping[str, tuple[str, Mapping[str, str]]]) -> nodes.raw:
    """Return menus by name, each a label and its options; ``table-filter.js`` shows them."""
    html = ""
    for name, (label, texts) in choices.items():
        options = (f'<option value="{slug(v)}">{text}</option>' for v, text in texts.items())
        html += f'<label>{label} <select name="{name}">{"".join(options)}</select></label>'
    return nodes.raw("", f'<form class="table-facets" hidden>{html}</form>', format="html")
