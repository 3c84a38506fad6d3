"""Put the fingerprint of a file that is written last into every page's address of it."""

import hashlib
import re
from pathlib import Path


def stamp(site: Path, name: str) -> None:
    """Write the fingerprint of ``_static/name``, so that a changed file is fetched anew."""
    version = hashlib.sha256((site / "_static" / name).read_bytes()).hexdigest()[:8]
    for page in site.rglob("*.html"):
        before = page.read_text("utf-8")
        after = re.sub(
            rf"_static/{re.escape(name)}(\?v=\w+)?", f"_static/{name}?v={version}", before
        )
        if after != before:
            page.write_text(after, "utf-8")
