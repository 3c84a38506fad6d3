"""From what a learner gives in a notebook to plain numbers: Python's values, or their text.

(What is typed on a page its JavaScript reads: book/assets/exercises/grammar.js.)
"""

import ast
import math
import operator
import re
from collections.abc import Mapping
from dis import get_instructions
from types import FunctionType
from typing import Any

import numpy as np

from .messages import SAY

_LARGEST, _LONGEST = 100_000, 500
# What Python compiles an empty body to, in one version or another.
_NOTHING = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "CACHE"}
NAMES: dict[str, Any] = {"pi": math.pi, "e": math.e, "ln": math.log}
NAMES |= {name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "tanh")}
_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


class NotReadable(ValueError):
    """An answer that no numbers can be read from; the message says so."""


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


def evaluated(text: str, names: Mapping[str, Any] = NAMES) -> Any:
    """Read a short text such as `1/2`, `sqrt(512)`, `98.2 %` or `[0.1, 0.2]`; nothing runs."""
    if len(text) > _LONGEST:
        raise NotReadable(SAY["long"])
    try:
        tree = ast.parse(re.sub(r" *%", "/100", text).strip(), mode="eval")
        return _value(tree.body, names)
    except ZeroDivisionError:
        raise NotReadable("That divides by zero.") from None
    except OverflowError:
        raise NotReadable("That is too large to be computed as an ordinary number.") from None
    except (SyntaxError, TypeError, ValueError, KeyError, RecursionError, MemoryError):
        shown = " ".join(text.split())[:40]
        raise NotReadable(
            f"“{shown}” is not understood: give a number, or write it as Python does, such as "
            "16*sqrt(2), and several as [1, 2]."
        ) from None


def _value(node: Any, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(name) if not callable(names[name]):
            return names[name]
        case ast.Call(ast.Name(name), [part]):
            return NAMES[name](_value(part, names))
        case ast.UnaryOp(sign, part):
            return _OPERATORS[type(sign)](_value(part, names))
        case ast.BinOp(left, sign, right):
            return _OPERATORS[type(sign)](_value(left, names), _value(right, names))
        case ast.List(items) | ast.Tuple(items):
            return [_value(item, names) for item in items]
    raise ValueError("neither a number nor arithmetic")


def read_numbers(answer: Any) -> list[float]:
    """Read finite real numbers, row by row, of a text, a number, or any library's array."""
    if callable(answer):
        raise NotReadable("Numbers are asked for; yours is a function: did you mean to call it?")
    try:
        given = evaluated(answer) if isinstance(answer, str) else answer
        array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)  # PyTorch
        if array.dtype.kind in "OU":  # fractions, SymPy's numbers, texts in a list
            entries = [evaluated(x) if isinstance(x, str) else float(x) for x in array.flat]
            array = np.array(entries, dtype=float)
    except NotReadable:
        raise
    except OverflowError:
        raise NotReadable("That is too large to be computed as an ordinary number.") from None
    except (Exception, SystemExit) as error:
        if "inhomogeneous" in str(error):  # so NumPy calls it
            raise NotReadable("The rows have different lengths.") from None
        array = np.empty(0, dtype=object)
    if array.size > _LARGEST:
        raise NotReadable(f"That has {array.size} entries: more than are asked for.")
    if array.dtype.kind == "c":
        raise NotReadable("The answer is real, and yours is complex.")
    if array.dtype.kind == "b":
        raise NotReadable("Numbers are asked for; yours are True or False.")
    # Of kind V are the short floats of JAX and others; a structured array is not.
    if array.dtype.kind not in "iufV" or array.dtype.names is not None:
        raise NotReadable(f"A number is asked for; yours is of type {type(answer).__name__}.")
    found = array.astype(float)
    if np.isnan(found).any():
        raise NotReadable("nan means “not a number”: 0/0, inf/inf or inf - inf was computed.")
    if np.isinf(found).any():
        raise NotReadable("The answer is finite, and yours is infinite.")
    return [float(x) for x in found.flat]


def read_number(answer: Any) -> float:
    """Read one number."""
    found = read_numbers(answer)
    if len(found) != 1:
        yours = f"an array of {len(found)} numbers" if found else "an empty array"
        raise NotReadable(f"One number is asked for; yours is {yours}.")
    return found[0]
