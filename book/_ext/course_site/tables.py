"""Tables that directives make, and the Markdown in their cells."""

from collections.abc import Iterable, Mapping, Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def parse_markdown(directive: SphinxDirective, text: str) -> list[nodes.Node]:
    """Return the nodes of a line of MyST."""
    holder = nodes.Element()
    holder.document = directive.state.document
    directive.state.nested_parse([text], directive.content_offset, holder)
    return list(holder.children)


def cell(*inline: nodes.Node) -> nodes.entry:
    """Return a cell of one paragraph."""
    return nodes.entry("", nodes.paragraph("", "", *inline))


def text_cells(texts: Iterable[str]) -> list[nodes.entry]:
    """Return a cell of plain text for each."""
    return [cell(nodes.Text(text)) for text in texts]


def table(
    classes: str,
    head: Sequence[nodes.entry],
    rows: Iterable[nodes.row],
    widths: Sequence[int],
    stub: bool = False,
) -> nodes.table:
    """Return a table; with `stub`, the first cell of a row is its heading."""
    made = nodes.table(classes=[*classes.split(), "colwidths-given"])  # or nobody is told them
    group = nodes.tgroup(cols=len(widths))
    group += [
        nodes.colspec(colwidth=width, **({"stub": 1} if stub and i == 0 else {}))
        for i, width in enumerate(widths)
    ]
    group += [nodes.thead("", nodes.row("", *head)), nodes.tbody("", *rows)]
    made += group
    return made


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
