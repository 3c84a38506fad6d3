"""Store the site's pictures, and put each still figure on its page.

Pictures are named by the hash of their content, so that equal ones are shared. A figure leaves
its notebook as PNG and becomes WebP here, a fifth of the bytes. With its size known the text below
it does not jump, and only a page's first picture is asked for before it comes near. Narrow screens
are given the narrow drawing that the file carries (``why_sqrt_d.pictures.style``).
"""

import hashlib
import io
import re
from base64 import b64decode
from html import escape
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from why_sqrt_d.pictures.encoding import encoded
from why_sqrt_d.pictures.style import NARROW_KEY

PREFIX = "picture-"
LATER = ' loading="lazy" decoding="async"'
NARROW = "screen and (max-width: 32rem)"  # from there on the wide one's letters are 12 pixels


def stored(app: Sphinx, image: bytes) -> str:
    """Write a picture and return its path inside the site."""
    kind = "webp" if image[:4] == b"RIFF" else "png"
    name = f"{PREFIX}{hashlib.sha256(image).hexdigest()[:16]}.{kind}"
    path = Path(app.outdir, app.builder.imagedir, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(image)
    return f"{app.builder.imagedir}/{name}"


def rendered(
    app: Sphinx, node: nodes.image, image: Image.Image, docname: str, first: bool = False
) -> str:
    """Store a notebook's picture and return it as HTML."""
    up = "../" * docname.count("/")

    def stands(file: Image.Image, source: str) -> str:
        """Return where a drawing is and its size, which reserves its place."""
        height = round(width * file.height / file.width)
        return f'{source}="{up}{stored(app, encoded(file))}" width="{width}" height="{height}"'

    width = int(node["width"].removesuffix("px"))
    alt = f'alt="{escape(node["alt"])}"'
    html = f"<img {stands(image, 'src')} {alt}{'' if first else LATER}>"
    if inner := getattr(image, "text", {}).get(NARROW_KEY):
        with Image.open(io.BytesIO(b64decode(inner))) as narrow:
            source = f'<source media="{NARROW}" {stands(narrow, "srcset")}>'
        html = f"<picture>{source}{html}</picture>"
    return html


def place_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the pictures that are left when the live figures have theirs."""
    if app.builder.format != "html":
        return
    first = True
    for node in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, node["candidates"].get("*", node["uri"]))
        if path.suffix != ".png" or not path.exists():
            continue
        with Image.open(path) as image:
            html = rendered(app, node, image, docname, first)
        node.replace_self(nodes.raw("", html, format="html"))
        first = False


def sweep(app: Sphinx, error: Exception | None) -> None:
    """Remove pictures that no page shows any more."""
    images = Path(app.outdir, "_images")
    if error is None and images.exists():
        pages = "".join(page.read_text("utf-8") for page in Path(app.outdir).rglob("*.html"))
        used = set(re.findall(rf"{PREFIX}[0-9a-f]{{16}}\.\w+", pages))
        for path in images.glob(f"{PREFIX}*"):
            if path.name not in used:
                path.unlink()


def setup(app: Sphinx) -> None:
    """Run after the live figures have taken their pictures, and sweep at the end."""
    app.connect("doctree-resolved", place_pictures, priority=600)
    app.connect("build-finished", sweep)
