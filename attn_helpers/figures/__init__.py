"""The course's figures (floor 4): one module a chapter, one look for all.

Each figure function takes computed numbers and returns a ``Picture``: the drawing together with a
description computed from the same numbers.
"""

from attn_helpers.figures.style import COLORS, MARKERS, Picture, new_figure, picture

__all__ = ["COLORS", "MARKERS", "Picture", "new_figure", "picture"]
