"""Show what a notebook's cells draw: described, as WebP, narrower on a phone, live if it can be.

A figure's output says beside its PNG what it shows, how it is drawn for a phone, and which live
figure it stands for (``why_sqrt_d.pictures.style``, ``why_sqrt_d.live``). The page gets a picture
with its size, so that the text below it does not jump; a live figure has it inside, for a reader
without scripts and for print. A picture that nothing describes is a warning, so the build fails.
"""

import hashlib
import io
import json
import os
import shutil
from base64 import b64decode
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from why_sqrt_d.live import FOR_SITE, ROOM, STYLE, modules

NARROW = "screen and (max-width: 32rem)"  # from there on the wide one's letters are 12 pixels
logger = logging.getLogger(__name__)


class Drawing(nodes.Element):
    """A picture that a cell has made; `about` is what its output says of it."""


def render_image(self: NbElementRenderer, data: MimeData) -> list[nodes.Element]:
    """Return the node of a picture; in place of MyST-NB's own method."""
    about = data.output_metadata.get(data.mime_type, {})
    if not about.get("alt"):
        logger.warning("a figure describes nothing: decorate it with @picture")
        return []
    return [Drawing(png=str(data.content), about=about)]


def stands(builder: Any, png: str, width: int) -> tuple[str, str]:
    """Write a drawing as WebP, and return its address and its size in HTML."""
    name = f"{hashlib.sha256(png.encode()).hexdigest()[:16]}.webp"
    path = Path(builder.outdir, builder.imagedir, name)
    with Image.open(io.BytesIO(b64decode(png))) as image:
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            flat = image.convert("RGB").quantize(64, dither=Image.Dither.NONE)
            flat.convert("RGB").save(path, lossless=True)
        height = round(width * image.height / image.width)
    return f"{builder.imgpath}/{name}", f'width="{width}" height="{height}"'


def visit_drawing(self: HTML5Translator, node: Drawing) -> None:
    """Write the picture, inside its live figure if it stands for one."""
    about, live = node["about"], node["about"].get("live")
    source, size = stands(self.builder, node["png"], about["width"])
    said = escape(about["alt"])
    html = f'<img src="{source}" {size} alt="{said}" loading="lazy" decoding="async">'
    if "narrow" in about:
        source, size = stands(self.builder, about["narrow"], about["width"])
        html = f'<picture><source media="{NARROW}" srcset="{source}" {size}>{html}</picture>'
    if live:
        name, (wide, narrow) = live["name"], live["heights"]
        data = escape(json.dumps(live["data"], separators=(",", ":")))
        html = (
            f'<live-figure id="fig-{name.rpartition("/")[2]}" data-module="{name}" '
            f'data-start="{escape(urlencode(live["start"]))}" data-rows="{data}" '
            f'style="--wide: {wide}px; --narrow: {narrow}px"><noscript>{html}</noscript>'
            "</live-figure>"
        )
    self.body.append(html)
    raise nodes.SkipNode


def copy_modules(app: Sphinx) -> None:
    """Copy the live figures' modules to a folder with a new name whenever one has changed."""
    os.environ[FOR_SITE] = "1"  # for notebooks that Sphinx itself executes
    if app.builder.format != "html":
        return
    files = [STYLE, *ROOM.parent.glob("*/live/*.js"), *ROOM.glob("*.js")]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()
    app.live_folder = f"live-{version[:8]}"
    for path in files:
        target = Path(app.outdir, "_static", app.live_folder, path.relative_to(ROOM.parent))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def add_modules(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Name what a page with live figures loads: the host, and what its first figure needs."""
    _, found, after = (context.get("body") or "").partition('data-module="')
    if found:
        room, name = after.partition('"')[0].split("/")
        first = modules(ROOM.parent / room / "live" / f"{name}.js")
        paths = [path.relative_to(ROOM.parent) for path in (ROOM / "host.js", *first)]
        context["live_modules"] = [
            f"_static/{app.live_folder}/{path.as_posix()}" for path in paths
        ]
        app.add_css_file(f"{app.live_folder}/live/{STYLE.name}", priority=900)  # after ours


def setup(app: Sphinx) -> None:
    """Take the place of MyST-NB's pictures."""
    NbElementRenderer.render_image = render_image
    app.add_node(Drawing, html=(visit_drawing, None))
    app.connect("builder-inited", copy_modules)
    app.connect("html-page-context", add_modules)
