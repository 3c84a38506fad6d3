"""The kinds of answer an exercise can ask for."""

from .array import Array
from .checks import all_finite, float_result, one_number, shape_only, sums_to_one
from .choice import Choice
from .function import Function
from .mechanism import Mechanism
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
