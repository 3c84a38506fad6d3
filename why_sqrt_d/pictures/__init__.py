"""One look for all figures, and figures that move: live in a notebook, frames on a page.

A figure function takes computed numbers and returns a ``Picture``: the drawing together with a
description computed from the same numbers. ``explore`` joins such a function to controls.
"""

from why_sqrt_d.pictures.controls import Control, choice, slider, switch
from why_sqrt_d.pictures.style import COLORS, MARKERS, Picture, new_figure, picture, thousands
from why_sqrt_d.pictures.turning import MAX_FRAMES, MovingFigure, explore

__all__ = [
    "COLORS",
    "MARKERS",
    "MAX_FRAMES",
    "Control",
    "MovingFigure",
    "Picture",
    "choice",
    "explore",
    "new_figure",
    "picture",
    "slider",
    "switch",
    "thousands",
]
