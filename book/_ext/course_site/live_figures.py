"""Turn the still picture of a live figure into the figure.

The picture says which figure it stands for (``why_sqrt_d.live.stills``). The page gets the
element that runs it, with the still inside for a reader without scripts.
"""

import json
import os
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from why_sqrt_d.live import FOR_SITE, ROOM, STYLE
from why_sqrt_d.live.joining import engine_text, figure_text
from why_sqrt_d.live.stills import place_of

from .pictures import rendered

ENGINE = "live/engine.js"


def write_scripts(app: Sphinx) -> None:
    """Write the engine, every figure and their style among the site's files."""
    os.environ[FOR_SITE] = "1"  # for notebooks that Sphinx itself executes
    if app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "live")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "engine.js").write_text(engine_text(ROOM / "host.js"), "utf-8")
    (folder / STYLE.name).write_text(STYLE.read_text("utf-8"), "utf-8")
    for path in ROOM.parent.glob("*/live/*.js"):
        name = f"{path.parents[1].name}/{path.stem}"
        text = figure_text(path, name, ROOM)
        (folder / script_name(name)).write_text(text, "utf-8")


def script_name(name: str) -> str:
    """Return the file of a figure such as `ch1/growth`."""
    return f"{name.replace('/', '-')}.js"


def render(place: dict[str, Any], still: str, static: str) -> str:
    """Return the element; `static` leads from the page to the site's scripts."""
    name = place["name"]
    wide, narrow = place["heights"]
    start = urlencode(place["start"])
    rows = json.dumps(place["data"], separators=(",", ":")) if "data" in place else ""
    data = f'data-rows="{escape(rows)}" ' if rows else ""
    return (
        f'<live-figure id="fig-{name.rpartition("/")[2]}" data-module="{name}" '
        f'data-src="{static}live/{script_name(name)}" data-start="{escape(start)}" {data}'
        f'style="--wide: {wide}px; --narrow: {narrow}px">'
        f"<noscript>{still}</noscript></live-figure>"
    )


def place_figures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace each picture that stands for a live figure."""
    if app.builder.format != "html":
        return
    up = "../" * docname.count("/")
    for node in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, node["candidates"].get("*", node["uri"]))
        if path.suffix != ".png" or not path.exists():
            continue
        with Image.open(path) as image:
            place = place_of(image)
            if place is None:
                continue
            still = rendered(app, node, image, docname)
        html = render(place, still, f"{up}_static/")
        node.replace_self(nodes.raw("", html, format="html"))


def add_files(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Load the engine where a live figure stands, and the page's first figure with it."""
    body = context.get("body") or ""
    if "<live-figure" in body:
        app.add_js_file(ENGINE, loading_method="async", fetchpriority="high")
        app.add_css_file("live/live.css")
        first = body.split('data-src="', 1)[1].split('"', 1)[0]
        context["live_figure"] = first


def setup(app: Sphinx) -> None:
    """Write the scripts first; place figures before the still pictures are taken."""
    app.connect("builder-inited", write_scripts)
    app.connect("doctree-resolved", place_figures)
    app.connect("html-page-context", add_files)
