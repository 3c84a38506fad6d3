"""Whole notebooks in the browser: what `make lite` has made, and the button that leads there."""

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MADE = Path("_build", "lite", "site")  # below the root
PLACE = "lite"  # below the site


def notebook_of(app: Sphinx, pagename: str) -> Path | None:
    """Return a page's notebook among those made for the browser."""
    found = Path(app.srcdir, MADE, "files").glob(f"{Path(pagename).name}-[0-9]*.ipynb")
    return next(iter(sorted(found)), None)


def add_button(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Put the button beside those of Binder and Colab."""
    notebook = notebook_of(app, pagename)
    if notebook is None or "header_buttons" not in context:
        return
    up = "../" * pagename.count("/")
    url = f"{up}{PLACE}/notebooks/index.html?path={notebook.name}"
    button = {
        "type": "link",
        "url": url,
        "text": "Run in your browser",
        "tooltip": "Nothing to install; Python, NumPy and Matplotlib are loaded then",
        "icon": "fas fa-play",
        "label": "lite-button",
    }
    groups = [b for b in context["header_buttons"] if b.get("label") == "launch-buttons"]
    if groups:
        groups[0]["buttons"].append(button)
    else:
        context["header_buttons"].insert(0, button)


def copy_site(app: Sphinx, error: Exception | None) -> None:
    """Copy what was made, when the course's own pages are done."""
    made = Path(app.srcdir, MADE)
    if error is None and app.builder.format == "html" and made.exists():
        shutil.copytree(made, Path(app.outdir, PLACE), dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Run after the theme has made its buttons, and after the pages are written."""
    app.connect("html-page-context", add_button, priority=600)
    app.connect("build-finished", copy_site, priority=990)
