"""One look for all figures.

A figure function takes computed numbers and returns a ``Picture``: the drawing together with a
description computed from the same numbers.
"""

from why_sqrt_d.pictures.style import COLORS, Picture, new_figure, picture, thousands

__all__ = ["COLORS", "Picture", "new_figure", "picture", "thousands"]
