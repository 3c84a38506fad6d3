"""The directive ``{softmax-playground}``: the figure in which a reader drags the scores.

Its presets and its still picture come from the package, its behaviour from
``book/assets/playground``.
"""

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.pictures.frames import encoded, pixels
from why_sqrt_d.pictures.playground import preset_number, render_playground, still

from .pictures import stored

SCRIPTS = ("softmax", "state", "playground")


class Place(nodes.Element):
    """Where the playground goes; the picture's address depends on the page."""


def preset(given: str | None) -> int:
    """Return the number of the preset that an option names."""
    return preset_number(directives.unchanged_required(given))


class Playground(SphinxDirective):
    """Mark the place; what stands inside is for readers of the notebook file."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"start": preset}

    def run(self) -> list[nodes.Node]:
        """Return the mark."""
        return [Place(start=self.options.get("start", 0))]


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the still picture and the playground."""
    for place in list(doctree.findall(Place)):
        shown = still(place["start"])
        frame = pixels(shown)
        size = (shown.width, round(shown.width * frame.height / frame.width))
        address = "../" * docname.count("/") + stored(app, encoded(frame))
        html = render_playground(address, shown.description, size, place["start"])
        place.replace_self(nodes.raw("", html, format="html"))


def add_files(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Load the scripts and the style only where the playground stands."""
    if "<softmax-playground" in (context.get("body") or ""):
        for name in SCRIPTS:
            app.add_js_file(f"playground/{name}.js", defer="defer")
        app.add_css_file("playground/playground.css")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_node(Place)
    app.add_directive("softmax-playground", Playground)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", add_files)
