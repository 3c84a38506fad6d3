"""``explore``: a drawing function and its controls become one thing that a notebook shows."""

import base64
import inspect
import math
import os
from collections.abc import Callable
from typing import Any

from why_sqrt_d.pictures.controls import Control
from why_sqrt_d.pictures.exploration import Exploration
from why_sqrt_d.pictures.frames import FRAMES, film
from why_sqrt_d.pictures.live import widget_view
from why_sqrt_d.pictures.style import Picture

MAX_CONTROLS = 3
MAX_FRAMES = 64


class MovingFigure(Exploration):
    """An exploration as the notebook shows it; made by `explore`."""

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return every frame for the site, widgets for a running notebook, the start for both."""
        first = self.draw(self.start)
        bundle: dict[str, Any] = {"text/plain": f"{first.description} {self}"}
        if os.environ.get(FRAMES):
            bundle["image/png"] = base64.b64encode(film(self)).decode()
        else:
            bundle |= widget_view(self, first)
        return bundle, {"image/png": {"width": first.width}}


def explore(render: Callable[..., Picture], /, **controls: Control) -> MovingFigure:
    """Return a figure whose controls a reader can turn, in a notebook and on the built page.

    In a running notebook the controls are ipywidgets and every turn calls `render` again. When
    the site is built, `render` is called for all settings beforehand and the page's controls step
    through the pictures.

    `render` takes every control's value under its name and returns a ``Picture``. Compute what all
    pictures share outside it, and keep the axes' limits fixed, so that what moves is the data. One
    to three `controls`, made by ``slider``, ``choice`` or ``switch``, have together at most 64
    settings. Put the figure last in a cell.

    Examples
    --------
    >>> from why_sqrt_d.pictures import new_figure, picture, slider, switch
    >>> @picture
    ... def line(slope, dotted):
    ...     figure, axis = new_figure()
    ...     axis.plot([0, 1], [0, slope], ":" if dotted else "-")
    ...     return figure, f"A line from the origin that rises with slope {slope}."
    >>> str(explore(line, slope=slider([1, 2, 4]), dotted=switch()))
    'Controls: slope (1, 2, 4); dotted (off, on).'
    """
    if not callable(render):
        raise TypeError(f"explore: render must be a function that draws, got {render!r}")
    if not 1 <= len(controls) <= MAX_CONTROLS:
        raise ValueError(f"explore: one to {MAX_CONTROLS} controls, got {len(controls)}")
    for name, control in controls.items():
        if not isinstance(control, Control):
            raise TypeError(
                f"explore: {name} must be a slider, a choice or a switch, got {control!r}"
            )
    try:
        inspect.signature(render).bind(**dict.fromkeys(controls))
    except TypeError as error:
        raise TypeError(f"explore: render cannot take {', '.join(controls)}: {error}") from None
    sizes = [len(control.values) for control in controls.values()]
    if math.prod(sizes) > MAX_FRAMES:
        product = " × ".join(map(str, sizes))
        raise ValueError(
            f"explore: {product} = {math.prod(sizes)} frames; at most {MAX_FRAMES} are drawn"
        )
    return MovingFigure(render, {name: made.named(name) for name, made in controls.items()})
