"""From what a learner gives in a notebook to plain numbers: Python's values, or a short text."""

import ast
import math
import operator
import re
from collections.abc import Mapping
from contextlib import suppress
from dis import get_instructions
from types import FunctionType
from typing import Any

import numpy as np

from .messages import SAY
from .reading import TWO_WAYS, bare, plain, rewritten

_LARGEST, _LONGEST = 100_000, 4000
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
    """An answer that no number or array can be read from; the message says so."""


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
    text = re.sub(r"\bsqrt +([0-9.]+)", r"sqrt(\1)", text.replace("^", "**"))
    text = re.sub(r"\b(?:np|math)[.]", "", text)
    try:
        tree = ast.parse(re.sub(r" *%", "/100", text[:500]).strip(), mode="eval")
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


def _short(text: str) -> str:
    """Return a typed text in plain signs, if it is not too long to be read."""
    if len(text) > _LONGEST:
        raise NotReadable(SAY["long"])
    return plain(text)


def read_number(answer: Any) -> float:
    """Read one finite real number from text, a number or an array of one."""
    if isinstance(answer, str):
        *sides, answer = (side.strip() for side in re.split("[=≈]", _short(answer)))
        for side in sides:  # the first one with a number counts; a name may stand there
            if re.search("[0-9]", side) and not re.fullmatch(r"[^\W\d]\w*'?", side):
                with suppress(NotReadable):
                    return read_number(side)
        answer = bare(answer)
        for pattern, key in [*TWO_WAYS, (r"^log *[(]", "log")]:
            if re.search(pattern, answer):
                raise NotReadable(SAY[key])
        if re.search("[0-9],(?:[0-9]|$)", answer):
            raise NotReadable(f"“{answer[:40]}” has a comma. Write decimals with a point.")
    array = _as_array(answer)
    if array.size != 1:
        yours = f"an array of {array.size} numbers" if array.size else "an empty array"
        raise NotReadable(f"One number is asked for; yours is {yours}.")
    item = float(array.reshape(-1)[0])
    if math.isnan(item):
        raise NotReadable("nan means “not a number”: 0/0, inf/inf or inf - inf was computed.")
    if math.isinf(item):
        raise NotReadable("The answer is finite, and yours is infinite.")
    return item


def read_array(answer: Any, length: int = 0) -> np.ndarray:
    """Read an array of real numbers; nan and inf stay, to be named with their place.

    `length` is how many are asked for, if they are a plain list.
    """
    if isinstance(answer, str):
        answer = rewritten(_short(answer), "list").strip()
        parts = re.split(r" *(?:[;\n]|,(?=\s)) *", answer)
        answer = (
            [read_number(x) for x in parts]
            if len(parts) == length > 1 and not re.search(r"[(\[]", answer)
            else answer
        )
    array = _as_array(answer)
    if array.size > _LARGEST:
        raise NotReadable(f"That array has {array.size} entries: more than are asked for.")
    return array if array.ndim or not isinstance(answer, str) else array.reshape(1)


def _listed(text: str) -> Any:
    """Evaluate a text; one that is no Python may hold several numbers, as `3 7/144` does."""
    try:
        return evaluated(text)
    except NotReadable:
        rows = [row for row in re.split(r" *[;\n] *", text) if row]
        parts = [re.split(r" *,\s+| +,\s*|(?<![-+*/(,]) +(?![-+*/)%])", row) for row in rows]
        if sum(map(len, parts)) < 2 or "[" in text:
            raise
        read = [[read_number(part) for part in row if part] for row in parts]
        flat = len(rows) == 1 or all(len(row) == 1 for row in read)
        return [x for row in read for x in row] if flat else read


def _as_array(answer: Any) -> np.ndarray:
    """Turn a text, a number, nested sequences or another library's array into floats."""
    if callable(answer):
        raise NotReadable("Numbers are asked for; yours is a function: did you mean to call it?")
    try:
        given = _listed(answer) if isinstance(answer, str) else answer
        array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)  # PyTorch
        if array.dtype.kind in "OU":  # fractions, SymPy's numbers, texts in a list
            entries = [read_number(x) if isinstance(x, str) else float(x) for x in array.flat]
            array = np.array(entries, dtype=float).reshape(array.shape)
        if array.dtype.kind in "iuf" or (array.dtype.kind == "V" and array.dtype.names is None):
            return array.astype(float)
    except NotReadable:
        raise
    except OverflowError:
        raise NotReadable("That is too large to be computed as an ordinary number.") from None
    except (Exception, SystemExit) as error:
        if "inhomogeneous" in str(error):  # so NumPy calls it
            raise NotReadable("The rows have different lengths.") from None
        array = np.empty(0, dtype=object)
    if array.dtype.kind == "c":
        raise NotReadable("The answer is a real number, and yours is complex.")
    if array.dtype.kind == "b":
        raise NotReadable("Numbers are asked for; yours are True or False.")
    raise NotReadable(f"A number is asked for; yours is of type {type(answer).__name__}.")
