"""Figures that compute in the browser: on the page, and through anywidget in a notebook.

A figure is one ES module, such as ``why_sqrt_d/ch1/live/growth.js``, whose default export has the
``render({ model, el })`` that anywidget asks for; what figures share is in the modules here. The
module declares its controls, drawings and words, and ``figure.js`` does the rest.
"""

import base64
import os
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from why_sqrt_d.live.joining import widget_text
from why_sqrt_d.live.stills import with_place
from why_sqrt_d.pictures.style import FOR_SITE, Picture

__all__ = ["FOR_SITE", "ROOM", "STYLE", "LiveFigure"]

VIEW = "application/vnd.jupyter.widget-view+json"
ROOM = Path(__file__).parent
STYLE = ROOM / "live.css"


class LiveFigure:
    """A live figure as a notebook shows it.

    Parameters
    ----------
    module : Path
        The figure's ES module, ``<room>/live/<name>.js``.
    still : callable
        Returns the Picture that stands for it where no script runs.
    heights : (int, int)
        What it takes on the page, in CSS pixels: in the text column, and on a phone.
    data : JSON value, optional
        What the module finds as ``model.get("data")``: stored rows, as few digits as are drawn.
    **start : object
        Where it starts, if not where its module says: ``d=64``.
    """

    def __init__(
        self,
        module: Path,
        still: Callable[[], Picture],
        heights: tuple[int, int],
        data: Any = None,
        **start: object,
    ) -> None:
        self.module = module
        self.still = still
        self.heights = heights
        self.data = data
        self.start = {key: str(value) for key, value in start.items()}

    @property
    def name(self) -> str:
        """The room and the figure, as ``ch1/growth``."""
        return f"{self.module.parents[1].name}/{self.module.stem}"

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the still for every viewer, and the widget for a running notebook."""
        shown = self.still()
        image = shown.base64()
        bundle: dict[str, Any] = {"text/plain": shown.description}
        if os.environ.get(FOR_SITE):  # leave the still, which says what it stands for: no widget
            place: dict[str, Any] = {
                "name": self.name,
                "heights": self.heights,
                "start": self.start,
            }
            if self.data is not None:
                place["data"] = self.data
            image = base64.b64encode(with_place(base64.b64decode(image), place)).decode()
        elif self.widget is not None:
            view = self.widget._repr_mimebundle_()
            bundle[VIEW] = (view[0] if isinstance(view, tuple) else view)[VIEW]
        bundle["image/png"] = image
        return bundle, {"image/png": {"width": shown.width}}

    @cached_property
    def widget(self) -> Any:
        """The figure as a widget whose ``state`` follows its controls; None without anywidget."""
        kind = _widget_kind()
        if kind is None:
            return None
        return kind(
            _esm=widget_text(self.module),
            _css=STYLE.read_text("utf-8"),
            start=self.start,
            data=self.data,
        )


@cache
def _widget_kind() -> Any:
    """Return the class of widgets, or None where anywidget is not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class LiveWidget(anywidget.AnyWidget):
        # What has no trait here is dropped without a word.
        _esm = traitlets.Unicode().tag(sync=True)
        _css = traitlets.Unicode().tag(sync=True)
        start = traitlets.Dict().tag(sync=True)
        data = traitlets.Any().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

    return LiveWidget
