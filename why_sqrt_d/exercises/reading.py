"""From whatever the learner passes to plain numbers, and which answers are harmless to read."""

from __future__ import annotations

import math
from decimal import Decimal
from dis import get_instructions
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from .arrays import MAX_ENTRIES, Grid, parse_array
from .grammar import NotANumber, parse_number

_SCALARS = (bool, int, float, complex, Fraction, Decimal, str, type(None), type(...))
_NUMPY_KINDS = "biufc"
_MAX_BITS = 4096
_MAX_ARRAY = 100_000
# What Python compiles an empty body to, in one version or another.
_NOTHING = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "CACHE"}


class NotReadable(ValueError):
    """An answer of a type no number or array can be read from; the message says so."""


def is_plain(answer: Any, budget: int = MAX_ENTRIES) -> bool:
    """Tell whether `answer` can be read without running any code of the learner's.

    Types are compared exactly: `isinstance` believes an object that lies about its class.
    """
    stack, seen = [(answer, 0)], 0
    while stack:
        item, depth = stack.pop()
        seen += 1
        kind = type(item)
        if seen > budget or depth > 6:
            return False
        if kind is list or kind is tuple:
            if len(item) > budget:
                return False
            stack.extend((x, depth + 1) for x in item)
        elif not _is_plain_scalar(item, kind):
            return False
    return True


def _is_plain_scalar(item: Any, kind: type) -> bool:
    if kind is int:
        return bool(item.bit_length() <= _MAX_BITS)
    if kind is str:
        return len(item) <= 100_000
    if kind is Decimal:
        return True
    if kind is Fraction:
        return bool(max(item.numerator.bit_length(), item.denominator.bit_length()) <= _MAX_BITS)
    if kind is np.ndarray:
        return item.dtype.kind in _NUMPY_KINDS and item.size <= _MAX_ARRAY
    if kind.__module__ == "numpy" and np.generic in kind.__mro__:
        return item.dtype.kind in _NUMPY_KINDS
    return kind in _SCALARS


def is_blank(answer: Any) -> bool:
    """Tell whether there is no answer yet: `...`, `None` or empty text."""
    return (
        answer is None
        or answer is ...
        or (type(answer) is str and len(answer) <= 100_000 and not answer.strip())
    )


def is_empty_function(answer: Any) -> bool:
    """Tell whether a function's body is still the three dots, a docstring or ``pass``."""
    if type(answer) is not FunctionType:
        return False
    operations = {instruction.opname for instruction in get_instructions(answer)}
    constants = set(answer.__code__.co_consts) - {None, answer.__doc__}
    return operations <= _NOTHING and not constants


def type_name(answer: Any) -> str:
    """Name an answer's type without asking the answer."""
    return type.__getattribute__(type(answer), "__name__")


def read_number(answer: Any) -> float:
    """Read one finite real number from text, a Python or NumPy number or a one-element array."""
    if issubclass(type(answer), str):
        return parse_number(str.__str__(answer))
    if type(answer) is Decimal and not answer.is_finite():
        raise NotANumber("nan" if answer.is_nan() else "inf")
    if type(answer) in (int, Fraction, Decimal):
        return _ordinary(answer)
    array = _as_array(answer)
    if array.size != 1:
        raise NotReadable(f"One number is asked for; yours is {_described(array)}.")
    item = array.reshape(-1)[0]
    if isinstance(item, str):
        return parse_number(str(item))
    if array.dtype.kind == "O":
        return read_number(item) if type(item) in _SCALARS else _refuse(item)
    _refuse_strange(item)
    return float(item)


def _described(array: np.ndarray) -> str:
    return "an empty array" if array.size == 0 else f"an array of {array.size} numbers"


def _ordinary(answer: int | Fraction | Decimal) -> float:
    try:
        value = float(answer)
    except OverflowError:
        raise NotANumber("huge") from None
    return value if math.isfinite(value) else _huge()


def _huge() -> float:
    raise NotANumber("huge")


def _refuse(answer: Any) -> Any:
    raise NotReadable(f"A number is asked for; yours is of type {type_name(answer)}.")


def _refuse_strange(item: np.generic) -> None:
    """Give complex, true/false, nan and inf each their own sentence."""
    if item.dtype.kind == "c":
        raise NotANumber("complex")
    if item.dtype.kind == "b":
        raise NotReadable("A number is asked for; yours is True or False.")
    if np.isnan(item):
        raise NotANumber("nan")
    if np.isinf(item):
        raise NotANumber("inf")


def _as_array(answer: Any) -> np.ndarray:
    """Turn numbers, nested sequences and array-likes into an array of numbers or objects."""
    if callable(answer):
        raise NotReadable("Numbers are asked for; yours is a function: did you mean to call it?")
    if type(answer) in (dict, set, frozenset, bytes, bytearray, range, type(None)):
        return np.asarray(list(answer)) if type(answer) is range else _refuse(answer)
    try:
        array = np.asarray(answer)
    except ValueError:
        raise NotReadable("The rows have different lengths.") from None
    if array.dtype.kind not in "biufcOUS" or (array.dtype.kind == "S"):
        _refuse(answer)
    if array.dtype.kind == "O" and array.ndim == 0 and type(answer) not in _SCALARS:
        _refuse(answer)
    return array


def read_array(answer: Any, length: int = 0) -> Grid:
    """Read an array of real numbers; nan and inf stay, to be named with their index.

    `length` is how many are asked for if they are a plain list, else 0.
    """
    if issubclass(type(answer), str):
        return parse_array(str.__str__(answer), length)
    if type(answer) in (set, frozenset):
        raise NotReadable("A set has no order: use a list.")
    array = _as_array(answer)
    if array.dtype.kind == "b":
        raise NotReadable("Numbers are asked for; yours are True or False.")
    if array.dtype.kind == "c":
        raise NotANumber("complex")
    if array.size > _MAX_ARRAY:
        raise NotReadable(f"That array has {array.size} entries: more than are asked for.")
    if array.dtype.kind in "OU":
        return Grid(array.shape, tuple(read_number(x) for x in array.reshape(-1)))
    return Grid(array.shape, tuple(float(x) for x in array.reshape(-1)))
