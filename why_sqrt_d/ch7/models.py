"""The table of real models: the entries of ``models.toml``, and each formula as one that runs.

A formula is an expression in the score `s` = q·k, in `q`, `k`, the head's width `d`, the number of
keys `n`, the query's place `i` counted from one, and the numbers of its own `let`. It is read as
Python's arithmetic with the functions below, and nothing else of Python.
"""

import ast
import operator
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers import RootMeanSquare, UnitLength
from attn_helpers.checks import FloatArray

#: What a formula does, most frequent first; a library is listed under what it does unasked.
KINDS = {
    "root": "1/√d",
    "norm": "q and k normalised",
    "length": "changed for long contexts",
    "width": "1/d",
    "other": "another constant",
    "cap": "capped or clamped",
    "folded": "1/√d inside the initial weights",
    "library": "a library’s default",
}
ANY_WIDTH = 64  # the head in a run whose formula is not tied to one


@dataclass(frozen=True)
class Model:
    """One entry; ``models.toml`` says what each part is. Without a `year` it has none, 0."""

    name: str
    kind: str
    formula: str
    code: str
    where: str
    year: int = 0
    d: int = 0
    heads: str = ""
    let: Mapping[str, float] = field(default_factory=dict)
    rule: str = ""
    paper: str = ""

    @property
    def width(self) -> int:
        """The head's width in a run."""
        return self.d or ANY_WIDTH


@cache
def read() -> Mapping[str, Model]:
    """Return the entries by name, in the file's order."""
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    found = [Model(**entry) for entry in tomllib.loads(text)["model"]]
    return {model.name: model for model in found}


def logits(model: Model, query: ArrayLike, key: ArrayLike) -> FloatArray:
    """Return the model's logits of `query` ``(..., n_q, d)`` and `key` ``(..., n, d)``.

    Every query sees all n keys, as the one at place i = n does. Learned gains stand at one, or at
    their start; position terms are left out.

    >>> logits(read()["Gemma 2 27B"], [[24.0]], [[1.0], [100.0]]).round(3)
    array([[ 1.999, 49.966]])
    """
    q, k = np.asarray(query, dtype=float), np.asarray(key, dtype=float)
    n = k.shape[-2]
    known = {"q": q, "k": k, "s": _dot(q, k), "d": q.shape[-1], "n": n, "i": n, **model.let}
    return np.asarray(_value(ast.parse(model.code, mode="eval").body, known))


def _dot(q: FloatArray, k: FloatArray) -> FloatArray:
    return np.asarray(q @ k.swapaxes(-1, -2))


def _layernorm(x: FloatArray) -> FloatArray:
    return RootMeanSquare()(x - x.mean(axis=-1, keepdims=True))


def _clamp(x: FloatArray, bound: float) -> FloatArray:
    return np.clip(x, -bound, bound)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "dot": _dot,
    "unit": UnitLength(),
    "rms": RootMeanSquare(),
    "layernorm": _layernorm,
    "clamp": _clamp,
    "sqrt": np.sqrt,
    "ln": np.log,
    "log2": np.log2,
    "tanh": np.tanh,
    "floor": np.floor,
    "max": np.maximum,
}
OPERATORS: Mapping[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return the value of an expression: numbers, names, arithmetic, and the functions above."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, known), _value(right, known))
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(part, known) for part in given))
    raise ValueError(f"a formula has no {ast.unparse(node)!r}")
