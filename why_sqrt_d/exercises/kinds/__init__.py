"""The kinds of answer an exercise can ask for."""

from .array import Array
from .choice import Choice
from .function import Function
from .mechanism import (
    Mechanism,
    all_finite,
    float_result,
    one_number,
    shape_only,
    sums_to_one,
)
from .number import Number
from .order import Order

__all__ = [
    "Array",
    "Choice",
    "Function",
    "Mechanism",
    "Number",
    "Order",
    "all_finite",
    "float_result",
    "one_number",
    "shape_only",
    "sums_to_one",
]
