"""Figures that move (floor 4): one call, live in a notebook and static on a page.

``controls`` says what can be turned, ``explore`` joins controls to a function that draws,
``live`` makes ipywidgets of them in a running notebook, ``frames`` renders every setting when the
site is built, and ``page`` writes what the page shows.
"""

from attn_helpers.interactive.controls import Control, choice, slider, switch
from attn_helpers.interactive.explore import MAX_FRAMES, Exploration, explore

__all__ = ["MAX_FRAMES", "Control", "Exploration", "choice", "explore", "slider", "switch"]
