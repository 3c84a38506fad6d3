"""Leave out the cells whose only output is the numbers that the text quotes.

They stand in the notebook, where the numbers come from; a page has the numbers in its text.
"""

from docutils import nodes
from sphinx.application import Sphinx

ONLY = "tag_hide-cell"


def leave_out(app: Sphinx, doctree: nodes.document) -> None:
    """Remove each hidden cell that ends with `numbers(…)`."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code" or ONLY not in cell["classes"]:
            continue
        code = next(iter(cell.findall(nodes.literal_block)), None)
        if code is not None and code.astext().lstrip().startswith("numbers("):
            cell.parent.remove(cell)


def setup(app: Sphinx) -> None:
    """Do so before anything is counted, and after the page's ids are known."""
    app.connect("doctree-read", leave_out, priority=350)
