"""``explore``: a drawing function and its controls become one thing that a notebook shows."""

import base64
import inspect
import itertools
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from why_sqrt_d.pictures.controls import Control, as_control
from why_sqrt_d.pictures.style import Picture

__all__ = ["FRAMES", "MAX_CONTROLS", "MAX_FRAMES", "Exploration", "explore"]

MAX_CONTROLS = 3
MAX_FRAMES = 64
# The site's builder sets this in the environment of the kernels: draw every setting beforehand.
FRAMES = "ATTN_HELPERS_FRAMES"

Settings = tuple[int, ...]


class Exploration:
    """A figure with controls; made by `explore`, shown by the notebook.

    Attributes
    ----------
    controls : dict from str to Control
        In the order in which they were passed.
    """

    def __init__(self, render: Callable[..., Picture], controls: Mapping[str, Control]) -> None:
        self._render = render
        self.controls = dict(controls)

    @property
    def start(self) -> Settings:
        """The setting of each control at the beginning."""
        return tuple(control.start for control in self.controls.values())

    def settings(self) -> list[Settings]:
        """Return all settings, the last control turning fastest."""
        sizes = (range(len(control.values)) for control in self.controls.values())
        return list(itertools.product(*sizes))

    def said(self, settings: Settings) -> str:
        """Say how the controls stand: "dimension d: 64, recipe: normal"."""
        pairs = zip(self.controls.values(), settings, strict=True)
        return ", ".join(f"{control.label}: {control.texts[i]}" for control, i in pairs)

    def draw(self, settings: Settings) -> Picture:
        """Return the picture at the given settings.

        Raises
        ------
        RuntimeError
            If the drawing function fails or returns no Picture; it says at which settings.
        """
        pairs = zip(self.controls.items(), settings, strict=True)
        values = {name: control.values[i] for (name, control), i in pairs}
        try:
            shown = self._render(**values)
        except Exception as error:
            raise RuntimeError(
                f"explore: the frame with {self.said(settings)} failed: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(shown, Picture):
            raise RuntimeError(
                f"explore: the frame with {self.said(settings)} is no Picture but "
                f"{type(shown).__name__}: decorate the function with @picture"
            )
        return shown

    def __str__(self) -> str:
        turns = (f"{c.label} ({', '.join(c.texts)})" for c in self.controls.values())
        return f"Controls: {'; '.join(turns)}."

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return every frame for the site, widgets for a running notebook, the start for both."""
        first = self.draw(self.start)
        bundle: dict[str, Any] = {"text/plain": f"{first.description} {self}"}
        if os.environ.get(FRAMES):
            from why_sqrt_d.pictures.frames import film

            bundle["image/png"] = base64.b64encode(film(self)).decode()
        else:
            from why_sqrt_d.pictures.live import widget_view

            bundle |= widget_view(self, first)
        return bundle, {"image/png": {"width": first.width}}


def explore(render: Callable[..., Picture], /, **controls: object) -> Exploration:
    """Return a figure whose controls a reader can turn, in a notebook and on the built page.

    In a running notebook the controls are ipywidgets and every turn calls `render` again. When
    the site is built, `render` is called for all settings beforehand and the page's controls step
    through the pictures.

    Parameters
    ----------
    render : callable
        Takes every control's value under its name and returns a ``Picture``. Compute what all
        pictures share outside it, and keep the axes' limits fixed, so that what moves is the
        data.
    **controls
        One to three. A sequence of numbers is a slider, a sequence of text or a mapping from text
        to values a choice, a bool a switch; ``slider``, ``choice`` and ``switch`` do the same and
        take a label and a start.

    Returns
    -------
    Exploration
        Put it last in a cell.

    Raises
    ------
    TypeError
        If `render` cannot be called with these names, or a control is none of the above.
    ValueError
        If there is no control or more than three, or more than 64 frames.

    Examples
    --------
    >>> from why_sqrt_d.pictures import new_figure, picture
    >>> @picture
    ... def line(slope, dotted):
    ...     figure, axis = new_figure()
    ...     axis.plot([0, 1], [0, slope], ":" if dotted else "-")
    ...     return figure, f"A line from the origin that rises with slope {slope}."
    >>> str(explore(line, slope=[1, 2, 4], dotted=False))
    'Controls: slope (1, 2, 4); dotted (off, on).'
    """
    if not callable(render):
        raise TypeError(f"explore: render must be a function that draws, got {render!r}")
    if not 1 <= len(controls) <= MAX_CONTROLS:
        raise ValueError(f"explore: one to {MAX_CONTROLS} controls, got {len(controls)}")
    made = {name: as_control(name, given) for name, given in controls.items()}
    try:
        inspect.signature(render).bind(**dict.fromkeys(made))
    except TypeError as error:
        raise TypeError(f"explore: render cannot take {', '.join(made)}: {error}") from None
    sizes = [len(control.values) for control in made.values()]
    if math.prod(sizes) > MAX_FRAMES:
        product = " × ".join(map(str, sizes))
        raise ValueError(
            f"explore: {product} = {math.prod(sizes)} frames; at most {MAX_FRAMES} are drawn"
        )
    return Exploration(render, made)
