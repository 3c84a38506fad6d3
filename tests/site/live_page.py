"""A page with every live figure on it, of scripts as the site has them; it needs no built site."""

import importlib
import json
from functools import cache
from html import escape

from visiting import Visit
from waiting import wait_until

from why_sqrt_d.live import ROOM, STYLE
from why_sqrt_d.live.joining import engine_text, figure_text

BASE = "http://live.test/"
FIGURES = {
    f"{path.parents[1].name}/{path.stem}": path for path in sorted(ROOM.parent.glob("*/live/*.js"))
}
IDS = [f"fig-{path.stem}" for path in FIGURES.values()]


def made(figure):
    """Return the LiveFigure of a module such as `ch1/growth`, as a cell makes it."""
    room, name = figure.split("/")
    return getattr(importlib.import_module(f"why_sqrt_d.{room}.live"), name)()


@cache
def _file(name: str) -> tuple[str, str]:
    """Return the type and the text of one of the page's files."""
    if name == "engine.js":
        return "text/javascript", engine_text(ROOM / "host.js")
    for figure, path in FIGURES.items():
        if name == f"{path.stem}.js":
            return "text/javascript", figure_text(path, figure, ROOM)
    elements = "".join(
        f'<live-figure id="fig-{path.stem}" data-module="{figure}" data-src="{path.stem}.js" '
        f'data-start="" data-rows="{escape(json.dumps(made(figure).data))}" '
        'style="--wide: 600px; --narrow: 900px"><noscript><p>A still picture.</p></noscript>'
        "</live-figure>"
        for figure, path in FIGURES.items()
    )
    return "text/html", (
        '<!doctype html><html lang="en" data-mode="auto"><meta charset="utf-8"><title>Live</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><style>{STYLE.read_text("utf-8")}</style>'
        f'<script src="engine.js"></script><main><h1>Live</h1>{elements}</main>'
    )


def open_live(context, hash="", missing=""):
    """Open the page and wait until all figures are there; `missing` cannot be fetched."""

    def answer(route):
        name = route.request.url.removeprefix(BASE)
        if missing and name == missing:
            return route.abort()
        kind, text = _file(name)
        return route.fulfill(body=text, content_type=f"{kind}; charset=utf-8")

    context.route(f"{BASE}**", answer)
    visit = Visit(context.new_page(), BASE)
    visit.go(f"index.html{hash}")
    return visit


def all_started(page):
    """Start what is far down, too, and wait for every figure's sentence."""
    page.evaluate("document.querySelectorAll('live-figure').forEach(e => e.start())")
    wait_until(
        page,
        "[...document.querySelectorAll('live-figure')].every(e => e.querySelector('.live-say'))",
    )
