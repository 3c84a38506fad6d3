"""Exercises that check an answer and say what went wrong.

`exercise("1.2")` shows one in a notebook, `check("1.2", answer)` checks an answer to it. Each
chapter declares its own in `questions.md` and its module `questions`: see `declared.py`.
"""

from .checking import check
from .declared import Questions, Values
from .kinds.chosen import Choice, Order, PredictChoice
from .kinds.function import Function
from .kinds.mechanism import Mechanism, Seed, call, case, one_number, shape_only, sums_to_one
from .kinds.typed import Array, Number, PredictNumber
from .model import Exercise, Wrong
from .progress import summary
from .registry import all_exercises, chapter_exercises, get
from .show import exercise, markdown

__all__ = [
    "Array",
    "Choice",
    "Exercise",
    "Function",
    "Mechanism",
    "Number",
    "Order",
    "PredictChoice",
    "PredictNumber",
    "Questions",
    "Seed",
    "Values",
    "Wrong",
    "all_exercises",
    "call",
    "case",
    "chapter_exercises",
    "check",
    "exercise",
    "get",
    "markdown",
    "one_number",
    "shape_only",
    "summary",
    "sums_to_one",
]
