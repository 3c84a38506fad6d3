"""Make the theme's search a reader's: the course before the package, excerpts without menus.

`search.js` becomes a part of Sphinx's search page. Each term of the glossary is an entry of the
search index, under its own name and those that a comment beside it gives it.
"""

import re
from pathlib import Path

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config

ALSO = re.compile(r"<!-- also (.+?) -->")


def add_script(app: Sphinx, config: Config) -> None:
    """Name the file, which Sphinx wants by its path."""
    config.html_search_scorer = str(Path(__file__).with_name("search.js"))


def entry(anchor: str, term: str, source: str) -> addnodes.index:
    """Return a term's entry in the index; `source` is its line of the glossary."""
    found = ALSO.search(source)
    names = [term, *(found[1].split(", ") if found else ())]
    return addnodes.index(entries=[("single", name, anchor, "main", None) for name in names])


def setup(app: Sphinx) -> None:
    """Set it before the search is built."""
    app.connect("config-inited", add_script)
