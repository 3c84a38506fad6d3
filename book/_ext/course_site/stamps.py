"""Put the fingerprints of the files that no Sphinx list names into every page's address of them.

So a browser that has an older page's copy fetches a changed file anew.
"""

import hashlib
import re
from pathlib import Path

from sphinx.application import Sphinx

from .stylesheet import FONTS, SHEET

SCRIPTS = ("first.js", "scripts.js")


def stamp(site: Path, names: tuple[str, ...]) -> None:
    """Write the fingerprints of these files of `_static` into all pages."""
    versions = {
        name: hashlib.sha256((site / "_static" / name).read_bytes()).hexdigest()[:8]
        for name in names
    }
    address = re.compile(rf"_static/({'|'.join(map(re.escape, names))})(\?v=\w+)?")
    for page in site.rglob("*.html"):
        before = page.read_text("utf-8")
        after = address.sub(lambda found: f"_static/{found[1]}?v={versions[found[1]]}", before)
        if after != before:
            page.write_text(after, "utf-8")


def stamp_pages(app: Sphinx, error: Exception | None) -> None:
    """Do so when the files are in their place."""
    if error is None and app.builder.format == "html":
        stamp(Path(app.outdir), (*FONTS, SHEET, *SCRIPTS))


def setup(app: Sphinx) -> None:
    """Run after everything else."""
    app.connect("build-finished", stamp_pages, priority=950)
