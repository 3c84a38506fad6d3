"""Figures that compute in the browser: on the page, and as ipywidgets in a notebook.

A figure is one ES module, such as ``why_sqrt_d/ch1/live/growth.js``, whose default export has the
``render({ model, el })`` that anywidget asks for; what figures share is in the modules here. The
module declares its controls, drawings and words, and ``figure.js`` does the rest.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from why_sqrt_d.pictures.style import FOR_SITE, Picture

VIEW = "application/vnd.jupyter.widget-view+json"
ROOM = Path(__file__).parent
STYLE = ROOM / "live.css"
IMPORT = re.compile(r'from "(\.[^"]+)"')
# anywidget takes one text: it brings each module's, and an import gets the address of its text.
LOADER = """
const texts = %s, addresses = {};
function address(name) {
  const text = () => texts[name].replace(/from "\\.[^"]*?([^"\\/]+)"/g,
    (_, imported) => `from "${address(imported)}"`);
  addresses[name] ??= URL.createObjectURL(new Blob([text()], { type: "text/javascript" }));
  return addresses[name];
}
export default async () => (await import(address("%s"))).default;
"""


def modules(path: Path) -> list[Path]:
    """Return a module and all that it imports, each once."""
    reached = [path.resolve()]
    for module in reached:  # which grows meanwhile
        named = (
            (module.parent / name).resolve() for name in IMPORT.findall(module.read_text("utf-8"))
        )
        reached += [other for other in dict.fromkeys(named) if other not in reached]
    return reached


@dataclass(frozen=True)
class LiveFigure:
    """A live figure as a notebook shows it."""

    name: str  #: the room and the figure: ``ch1/growth`` is ``ch1/live/growth.js``
    still: Callable[[], Picture]  #: draws what stands for it where no script runs
    heights: tuple[int, int]  #: in CSS pixels, as wide as the text and on a phone
    #: Reads what the module finds as ``model.get("data")``: rows, as few digits as are drawn.
    read: Callable[[], Any] = lambda: None

    @cached_property
    def data(self) -> Any:
        """What `read` returns, a JSON value."""
        return self.read()

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the still, and what it stands for: for the site its name, else the widget."""
        bundle, about = self.still()._repr_mimebundle_()
        if os.environ.get(FOR_SITE):
            told = {name: getattr(self, name) for name in ("name", "heights", "data")}
            about["image/png"]["live"] = told
        else:
            bundle[VIEW] = self.widget._repr_mimebundle_()[0][VIEW]
        return bundle, about

    @cached_property
    def widget(self) -> Any:
        """The figure as a widget, whose ``state`` follows its controls."""
        room, name = self.name.split("/")
        paths = modules(ROOM.parent / room / "live" / f"{name}.js")
        texts = {path.name: path.read_text("utf-8") for path in paths}
        return _widget_kind()(_esm=LOADER % (json.dumps(texts), f"{name}.js"), data=self.data)


@cache
def _widget_kind() -> Any:
    """Return the class of widgets; anywidget is asked for when one is shown."""
    import anywidget
    import traitlets

    class LiveWidget(anywidget.AnyWidget):
        # What has no trait here is dropped without a word.
        _esm = traitlets.Unicode().tag(sync=True)
        _css = traitlets.Unicode(STYLE.read_text("utf-8")).tag(sync=True)
        data = traitlets.Any().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

    return LiveWidget
