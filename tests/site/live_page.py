"""A page with every live figure on it, of modules as the site has them; it needs no built site."""

import importlib
import json
from functools import cache
from html import escape

from course_site import page_figures
from visiting import Visit
from waiting import wait_until

from why_sqrt_d.front.live import MODEL, packed_model
from why_sqrt_d.live import ROOM, STYLE

BASE = "http://live.test/"
FIGURES = {
    f"{path.parents[1].name}/{path.stem}": path for path in sorted(ROOM.parent.glob("*/live/*.js"))
}
IDS = [f"fig-{path.stem}" for path in FIGURES.values()]
# Every module by its name, as `window.modules`.
IMPORTED = """async paths => {
  window.modules = Object.fromEntries(await Promise.all(paths.map(
    async path => [path.match(/(\\w+)\\.js/)[1], await import(path)])));
}"""


def made(figure):
    """Return the LiveFigure of a module such as `ch1/growth`, as a cell makes it."""
    room, name = figure.split("/")
    return getattr(importlib.import_module(f"why_sqrt_d.{room}.live"), name)


def _data(figure):
    """Return a figure's data; the model of one is a script of the site, not among them."""
    data = made(figure).data
    return {**data, "model": None} if "model" in (data or ()) else data


def _page() -> str:
    elements = "".join(
        f'<live-figure id="fig-{path.stem}" data-module="{figure}" '
        f'data-rows="{escape(json.dumps(_data(figure)))}" '
        'style="--wide: 600px; --narrow: 900px"><noscript><p>A still picture.</p></noscript>'
        "</live-figure>"
        for figure, path in FIGURES.items()
    )
    return (
        '<!doctype html><html lang="en" data-mode="auto"><meta charset="utf-8"><title>Live</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><style>{STYLE.read_text("utf-8")}</style>'
        f'<script type="module" src="figures.js"></script><main><h1>Live</h1>{elements}</main>'
    )


@cache
def _made() -> dict[str, str]:
    """Return the files that are none of the package's, made once."""
    return {
        "figures.js": page_figures.entry(FIGURES.values()),
        "index.html": _page(),
        f"_static/live/{MODEL}": f'window.stories260K = "{packed_model()}";',
    }


def open_live(context, hash="", missing=""):
    """Open the page and wait until all figures are there; `missing` cannot be fetched."""
    files = _made()  # before the page waits for them

    def answer(route):
        name = route.request.url.removeprefix(BASE)
        if missing and name.endswith(missing):
            return route.abort()
        kind = "javascript" if name.endswith(".js") else "html"
        text = files.get(name) or (ROOM.parent / name).read_text("utf-8")
        return route.fulfill(body=text, content_type=f"text/{kind}; charset=utf-8")

    context.route(f"{BASE}**", answer)
    visit = Visit(context.new_page(), BASE)
    visit.go(f"index.html{hash}")
    wait_until(visit.page, "customElements.get('live-figure') !== undefined")
    return visit


def import_all(page):
    """Make every module available to the tests."""
    paths = [*FIGURES.values(), *ROOM.glob("*.js")]
    page.evaluate(IMPORTED, [BASE + path.relative_to(ROOM.parent).as_posix() for path in paths])


def all_started(page):
    """Start what is far down, too, and wait until every figure has said and drawn something."""
    page.evaluate("document.querySelectorAll('live-figure').forEach(e => e.start())")
    wait_until(
        page,
        "[...document.querySelectorAll('live-figure')].every(e => e.querySelector('.live-say') &&"
        " [...e.querySelectorAll('.live-plot')].every(plot => plot.firstChild))",
    )
