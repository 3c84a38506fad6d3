"""One style sheet for all pages: `_static/site.css`, which takes in the others in their order.

A page waits for every sheet that it names, and named fourteen. esbuild writes the one; without
npm the sheet imports the others as they are.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from . import npm

SHEET = "site.css"
FIRST = ["styles/theme.css", "styles/pydata-sphinx-theme.css"]  # the theme's template has them


def name_sheet(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Let a page, whose template names the one sheet, name no other; every page has the same."""
    sheets = sorted(context["css_files"], key=lambda sheet: sheet.priority)
    app.page_sheets = [sheet.filename.removeprefix("_static/") for sheet in sheets]
    context["css_files"] = []


def write_sheet(app: Sphinx, error: Exception | None) -> None:
    """Write the sheet when all pages are there, and what they use is known."""
    if error is not None or app.builder.format != "html" or not hasattr(app, "page_sheets"):
        return
    static = Path(app.outdir, "_static")
    imports = (f'@import "./{name}";\n' for name in (*FIRST, *app.page_sheets))
    (static / SHEET).write_text("".join(imports), "utf-8")
    if not npm.has_esbuild(app):
        return
    how = {
        "entryPoints": [str(static / SHEET)],
        "allowOverwrite": True,
        "outbase": str(static),
        "outdir": str(static),
        "loader": dict.fromkeys((".woff2", ".ttf", ".png", ".svg"), "file"),
        "assetNames": "[dir]/[name]",  # fonts and pictures stay where they are
    }
    npm.esbuild(app, how)


def setup(app: Sphinx) -> None:
    """Run after all that names sheets, and when everything is in its place."""
    app.connect("html-page-context", name_sheet, priority=950)
    app.connect("build-finished", write_sheet, priority=950)  # the theme writes pygments.css then
