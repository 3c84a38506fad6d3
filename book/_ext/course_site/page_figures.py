"""Show what a notebook's cells draw: described, as WebP, narrower on a phone, live if it can be.

A figure's output says beside its PNG what it shows, how it is drawn for a phone, and which live
figure it stands for (``why_sqrt_d.pictures.style``, ``why_sqrt_d.live``). The page gets a picture
with its size, so that the text below it does not jump; a live figure has it inside, for a reader
without scripts and for print. A picture that nothing describes is a warning, so the build fails.

A chapter's live figures come as one script, which npm's esbuild makes of their modules, so that
they compute on a page that is opened from a folder, too. Without npm the page imports the modules.
"""

import hashlib
import io
import json
import os
import re
import shutil
from base64 import b64decode
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from why_sqrt_d import stories
from why_sqrt_d.front.live import MODEL, packed_model
from why_sqrt_d.live import FOR_SITE, ROOM, STYLE

from . import npm

NARROW = "screen and (max-width: 32rem)"  # from there on the wide one's letters are 12 pixels
PACKAGE = ROOM.parent
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


def write_webp(builder: Any, png: str, width: int) -> tuple[str, str]:
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
    source, size = write_webp(self.builder, node["png"], about["width"])
    said = escape(about["alt"])
    html = f'<img src="{source}" {size} alt="{said}" loading="lazy" decoding="async">'
    if "narrow" in about:
        source, size = write_webp(self.builder, about["narrow"], about["width"])
        html = f'<picture><source media="{NARROW}" srcset="{source}" {size}>{html}</picture>'
    if live:
        name, (wide, narrow) = live["name"], live["heights"]
        data = escape(json.dumps(live["data"], separators=(",", ":")))
        html = (
            f'<live-figure id="fig-{name.rpartition("/")[2]}" data-module="{name}" '
            f'data-rows="{data}" '
            f'style="--wide: {wide}px; --narrow: {narrow}px"><noscript>{html}</noscript>'
            "</live-figure>"
        )
    self.body.append(html)
    raise nodes.SkipNode


def entry(modules: Iterable[Path]) -> str:
    """Return the module that shows these figures; it stands in the package's folder."""
    paths = [path.relative_to(PACKAGE).as_posix() for path in modules]
    brought = [f'"{p.replace("/live", "")[:-3]}": () => import("./{p}")' for p in sorted(paths)]
    return f'import {{ host }} from "./live/host.js";\nhost({{ {", ".join(brought)} }});\n'


def bring_scripts(app: Sphinx) -> None:
    """Write a script for each chapter's figures; without npm, one that imports the modules."""
    os.environ[FOR_SITE] = "1"  # for notebooks that Sphinx itself executes
    if app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "live")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(STYLE, folder)  # which _config.yml names
    licence = (stories.FOLDER / "LICENSE").read_text("utf-8")
    model = f'/*\n{licence}*/\nwindow.stories260K = "{packed_model()}";\n'
    (folder / MODEL).write_text(model, "utf-8")
    entries = {
        str(folder / f"{room.parent.name}.js"): entry(room.glob("*.js"))
        for room in PACKAGE.glob("*/live")
    }
    if npm.has_esbuild(app):
        sources = {
            name: {"contents": text, "resolveDir": str(PACKAGE)} for name, text in entries.items()
        }
        npm.esbuild(
            app, *({"stdin": s, "outfile": name, "format": "iife"} for name, s in sources.items())
        )
        return
    logger.info("npm's esbuild is not here: live figures will need a server, not just a folder")
    for path in (*ROOM.glob("*.js"), *PACKAGE.glob("*/live/*.js")):
        target = folder / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    for name, text in entries.items():
        Path(name).write_text(text, "utf-8")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Add the script of a page's live figures."""
    if found := re.search(r'<live-figure [^>]*data-module="(\w+)/', context.get("body") or ""):
        kind = {"loading_method": "defer"} if npm.has_esbuild(app) else {"type": "module"}
        app.add_js_file(f"live/{found[1]}.js", priority=400, **kind)  # before the page's others


def setup(app: Sphinx) -> None:
    """Take the place of MyST-NB's pictures."""
    NbElementRenderer.render_image = render_image
    app.add_node(Drawing, html=(visit_drawing, None))
    app.connect("builder-inited", bring_scripts)
    app.connect("html-page-context", add_scripts)
