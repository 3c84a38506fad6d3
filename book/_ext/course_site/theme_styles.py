"""Leave out of the theme's style sheets what no page uses: 54 kB of the 69 that they take packed.

PurgeCSS comes from npm with Pyodide (`tools.pyodide`); without it the sheets stay whole.
"""

import subprocess
from pathlib import Path

import pydata_sphinx_theme
import sphinx_book_theme
from sphinx.application import Sphinx
from sphinxcontrib import katex

SHEETS = [
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


def purge(app: Sphinx, error: Exception | None) -> None:
    """Write the sheets again, when all pages are there."""
    tool = Path(app.srcdir, "node_modules", "purgecss", "bin", "purgecss.js")
    if error is not None or app.builder.format != "html" or not tool.exists():
        return
    options = {"--css": SHEETS, "--content": CONTENT, "--safelist": GIVEN}
    command = [katex.NODEJS_BINARY, tool, "--output", "_static/styles/"]
    for option, values in options.items():
        command += [option, *values]
    subprocess.run(command, cwd=app.outdir, check=True)


def setup(app: Sphinx) -> None:
    """Run when everything is in its place."""
    app.connect("build-finished", purge)
