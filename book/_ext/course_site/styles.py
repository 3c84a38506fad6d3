"""One style sheet for all pages: `_static/site.css`, which takes in the others in their order.

A page waits for every sheet that it names, and named fourteen. esbuild writes the one, and
PurgeCSS leaves out what no page uses of the theme's: 54 kB of 69, packed. Without
npm the sheet imports the others as they are.
"""

from pathlib import Path
from typing import Any

import pydata_sphinx_theme
import sphinx_book_theme
from docutils import nodes
from sphinx.application import Sphinx

from . import npm

SHEET = "site.css"
FIRST = ["styles/theme.css", "styles/pydata-sphinx-theme.css"]  # the theme's template has them
THEME = [
    Path(theme.__file__).parent.joinpath("theme", name, "static", "styles", sheet)
    for theme, name, sheet in (
        (pydata_sphinx_theme, "pydata_sphinx_theme", "pydata-sphinx-theme.css"),
        (sphinx_book_theme, "sphinx_book_theme", "sphinx-book-theme.css"),
    )
]
# What says which classes there are; Bootstrap's script, which speaks of all of them, is not asked.
CONTENT = ["**/*.html", "_static/*.js", "_static/exercises/*.js", "_static/scripts/[ps]*.js"]
# What Bootstrap's script gives to elements.
GIVEN = ["active", "collapsed", "collapsing", "fade", "show", "showing", "hiding", "open"]
GIVEN += ["tooltip", "tooltip-inner", "tooltip-arrow", "bs-tooltip-auto", "data-popper-placement"]


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
    if not npm.here(app):
        return
    purge = Path("node_modules", "purgecss", "bin", "purgecss.js")
    content = [f"{app.outdir}/{pattern}" for pattern in CONTENT]
    sets = {
        "--css": THEME,
        "--content": content,
        "--safelist": GIVEN,
        "--output": [static / "styles/"],
    }
    npm.run(app, purge, *(word for name, words in sets.items() for word in (name, *words)))
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
