"""The course's own Sphinx extension: one idea a module.

All but three only listen to Sphinx's events and add directives and nodes. These three replace a
function of another package, and are where a new release of it may hurt: `paragraphs` wraps five
methods of MyST-Parser's `DocutilsRenderer`, `page_figures` puts another `render_image` into
MyST-NB's `NbElementRenderer`, `mathematics` starts sphinxcontrib-katex's server with PyPI's Node.
"""

from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

# In this order; `exercise_forms` and `try_cells` need `page_python`'s address.
PARTS = [
    "paragraphs",
    "mathematics",
    "page_figures",
    "rows",
    "page_python",
    "exercise_forms",
    "try_cells",
    "reading",
    "navigation",
    "ledger",
    "model_table",
    "library_table",
    "teaching",
    "line_breaks",
    "accessible",
    "searching",
    "launch",
    "api",
    "bibliography",
    "colophon",
    "styles",
]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part."""
    for part in PARTS:
        import_module(f".{part}", __name__).setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
