"""From whatever the learner passes to plain numbers."""

import math
from decimal import Decimal
from dis import get_instructions
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from .arrays import parse_array
from .grammar import NotANumber, parse_number

_LARGEST = 100_000
# What Python compiles an empty body to, in one version or another.
_NOTHING = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "CACHE"}


class NotReadable(ValueError):
    """An answer of a type no number or array can be read from; the message says so."""


def is_blank(answer: Any) -> bool:
    """Tell whether there is no answer yet: `...`, `None` or empty text."""
    return answer is None or answer is ... or (isinstance(answer, str) and not answer.strip())


def is_empty_function(answer: Any) -> bool:
    """Tell whether a function's body is still the three dots, a docstring or ``pass``."""
    if not isinstance(answer, FunctionType):
        return False
    operations = {instruction.opname for instruction in get_instructions(answer)}
    constants = set(answer.__code__.co_consts) - {None, answer.__doc__}
    return operations <= _NOTHING and not constants


def read_number(answer: Any) -> float:
    """Read one finite real number from text, a Python or NumPy number or a one-element array."""
    if isinstance(answer, str):
        return parse_number(str(answer))
    if isinstance(answer, int | Fraction | Decimal) and not isinstance(answer, bool):
        return _ordinary(answer)
    array = _as_array(answer)
    if array.size != 1:
        yours = f"an array of {array.size} numbers" if array.size else "an empty array"
        raise NotReadable(f"One number is asked for; yours is {yours}.")
    item = array.reshape(-1)[0]
    if array.dtype.kind in "OU":
        return read_number(item)
    if array.dtype.kind == "c":
        raise NotANumber("complex")
    if array.dtype.kind == "b":
        raise NotReadable("A number is asked for; yours is True or False.")
    if not np.isfinite(item):
        raise NotANumber("nan" if np.isnan(item) else "inf")
    return float(item)


def _ordinary(answer: int | Fraction | Decimal) -> float:
    if isinstance(answer, Decimal) and not answer.is_finite():
        raise NotANumber("nan" if answer.is_nan() else "inf")
    try:
        value = float(answer)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise NotANumber("huge")
    return value


def without_gradient(tensor: Any) -> Any:
    """Return a PyTorch tensor as NumPy can read it: no gradient, main memory, no bfloat16."""
    found = tensor.detach().cpu()
    return found.float() if str(getattr(found, "dtype", "")) == "torch.bfloat16" else found


def _as_array(answer: Any) -> np.ndarray:
    """Turn numbers, nested sequences and array-likes into an array of numbers or objects."""
    if callable(answer):
        raise NotReadable("Numbers are asked for; yours is a function: did you mean to call it?")
    refused = NotReadable(f"A number is asked for; yours is of type {type(answer).__name__}.")
    if np.ma.isMaskedArray(answer) and np.ma.getmaskarray(answer).any():
        raise NotANumber("masked")
    try:
        array = np.asarray(without_gradient(answer) if hasattr(answer, "detach") else answer)
    except ValueError:
        raise NotReadable("The rows have different lengths.") from None
    except Exception:
        raise refused from None
    if array.dtype.kind == "O" and not array.ndim and hasattr(answer, "__float__"):
        return _converted(answer, refused)
    known = isinstance(answer, Fraction | Decimal | int)
    if array.dtype.kind not in "biufcOU" or (
        array.dtype.kind == "O" and not (array.ndim or known)
    ):
        raise refused
    return array


def _converted(answer: Any, refused: NotReadable) -> np.ndarray:
    """Evaluate a number of another library's, such as SymPy's √512."""
    if getattr(answer, "is_real", True) is False:
        raise NotANumber("complex")
    try:
        return np.asarray(float(answer))
    except Exception:
        raise refused from None


def read_array(answer: Any, length: int = 0) -> np.ndarray:
    """Read an array of real numbers; nan and inf stay, to be named with their index.

    `length` is how many are asked for if they are a plain list, else 0.
    """
    if isinstance(answer, str):
        return parse_array(str(answer), length)
    if isinstance(answer, set | frozenset):
        raise NotReadable("A set has no order: use a list.")
    array = _as_array(answer)
    if array.dtype.kind == "b":
        raise NotReadable("Numbers are asked for; yours are True or False.")
    if array.dtype.kind == "c":
        raise NotANumber("complex")
    if array.size > _LARGEST:
        raise NotReadable(f"That array has {array.size} entries: more than are asked for.")
    if array.dtype.kind in "OU":
        return np.array([read_number(x) for x in array.reshape(-1)]).reshape(array.shape)
    return array.astype(float)
