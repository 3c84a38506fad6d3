"""Exercises that check an answer and say what went wrong.

`exercise("1.3")` shows one in a notebook, `check("1.3", answer)` checks an answer to it. Chapters
declare theirs in `chapter1.py`, `chapter2.py`, … as a tuple `EXERCISES`.
"""

from .checking import check
from .forms import render_form, render_progress, sentences_script
from .kinds import (
    Array,
    Choice,
    Function,
    Mechanism,
    Number,
    Order,
    all_finite,
    float_result,
    one_number,
    shape_only,
    sums_to_one,
)
from .model import Exercise, Verdict, Wrong
from .progress import summary
from .registry import all_exercises, chapter_exercises, get, registered
from .show import exercise, markdown

__all__ = [
    "Array",
    "Choice",
    "Exercise",
    "Function",
    "Mechanism",
    "Number",
    "Order",
    "Verdict",
    "Wrong",
    "all_exercises",
    "all_finite",
    "chapter_exercises",
    "check",
    "exercise",
    "float_result",
    "get",
    "markdown",
    "one_number",
    "registered",
    "render_form",
    "render_progress",
    "sentences_script",
    "shape_only",
    "summary",
    "sums_to_one",
]
