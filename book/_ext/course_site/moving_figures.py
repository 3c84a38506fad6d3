"""Turn the picture of an exploration into a figure with controls.

The picture that a cell left carries all frames inside (``why_sqrt_d.pictures.frames``). Each
is stored once among the site's pictures, and the page says where they are.
"""

import os
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from why_sqrt_d.pictures.frames import FRAMES, open_film
from why_sqrt_d.pictures.page import render_moving_figure

from .pictures import stored


def ask_for_frames(app: Sphinx) -> None:
    """Have the notebooks that are executed now draw every frame."""
    os.environ[FRAMES] = "1"


def place_figures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace each picture that has frames inside, before Sphinx copies the page's pictures."""
    if app.builder.format != "html":
        return
    up = "../" * docname.count("/")
    number = 0
    for node in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, node["candidates"].get("*", node["uri"]))
        if path.suffix != ".png" or not path.exists():
            continue
        with Image.open(path) as image:
            found = open_film(image)
        if found is not None:
            number += 1
            addresses = [up + stored(app, frame) for frame in found.images]
            html = render_moving_figure(found, addresses, number)
            node.replace_self(nodes.raw("", html, format="html"))


def add_files(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Load the script and the style only where a figure moves; the script waits for nothing."""
    if "<moving-figure" in (context.get("body") or ""):
        app.add_js_file("moving/figure.js", loading_method="async", fetchpriority="high")
        app.add_css_file("moving/moving.css")


def setup(app: Sphinx) -> None:
    """Ask before notebooks run, place when a page is written."""
    app.connect("builder-inited", ask_for_frames)
    app.connect("doctree-resolved", place_figures)
    app.connect("html-page-context", add_files)
