"""Exercises answered with an array of numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..arrays import Grid, has_decimal_comma
from ..messages import SAY, four, say, shape_text, with_hint
from ..model import Reply, Wrong
from ..reading import read_array
from .typed import Typed, close


def same(a: Sequence[float], b: Sequence[float], rtol: float, atol: float) -> bool:
    """Tell whether all entries of `a` are within the tolerance of those of `b`."""
    return all(close(x, y, rtol, atol) for x, y in zip(a, b, strict=True))


def _index(position: int, shape: Sequence[int]) -> str:
    """Write a flat position as a place: the second number is `2`, in a matrix `[0, 1]`."""
    if len(shape) == 1:
        return str(position + 1)
    indices = list(product(*(range(n) for n in shape)))[position]
    return "[" + ", ".join(map(str, indices)) + "]"


def judge_grid(grid: Grid, spec: Mapping[str, Any], text: str = "") -> Reply:
    """Judge an array, read from `text` if it was typed, as the page's JavaScript does."""
    shape, values, tolerance = spec["shape"], spec["values"], (spec["rtol"], spec["atol"])
    if list(grid.shape) == shape and same(grid.values, values, *tolerance):
        return Reply(True, SAY["right"])
    for known in spec["wrong"]:
        if list(grid.shape) == known["shape"] and same(grid.values, known["values"], *tolerance):
            return Reply(False, known["say"])
    if _is_transposed(grid, spec):
        return Reply(False, SAY["transposed"])
    if list(grid.shape) != shape:
        more = has_decimal_comma(text) and len(grid.values) > len(values)
        return Reply(False, _shape(grid, spec) + (f" {SAY['point']}" if more else ""))
    return Reply(False, _difference(grid, spec))


def _shape(grid: Grid, spec: Mapping[str, Any]) -> str:
    """Say how many numbers are asked for, or which shape."""
    if len(spec["shape"]) != 1 or len(grid.shape) > 1:
        return say("shape", a=shape_text(tuple(spec["shape"])), b=shape_text(grid.shape))
    asked, given = spec["shape"][0], len(grid.values)
    a = f"{_count(asked)} number{' is' if asked == 1 else 's are'}"
    b = f"yours {'is' if given == 1 else 'are'} {_count(given)}" if given else "yours is empty"
    return say("count", a=a[0].upper() + a[1:], b=b)


def _count(n: int) -> str:
    words = SAY["counts"].split(" ")
    return words[n] if n < len(words) else str(n)


def _difference(grid: Grid, spec: Mapping[str, Any]) -> str:
    """Say the first thing that is wrong in an array of the right shape: order, sum, entry."""
    shape, values, tolerance = spec["shape"], spec["values"], (spec["rtol"], spec["atol"])
    one = len(shape) == 1
    for i, x in enumerate(grid.values):
        if not math.isfinite(x):
            key = ("number" if one else "entry") + ("nan" if math.isnan(x) else "inf")
            return say(key, i=_index(i, shape))
    if same(sorted(grid.values), sorted(values), *tolerance):
        return with_hint(SAY["shuffled"])
    if (far := _first_off(grid, spec, 5)) is None:
        place = _index(_first_off(grid, spec, 1) or 0, shape)
        return with_hint(say("numbernear" if one else "entrynear", i=place))
    if spec["sums"] and (line := _row_sum(grid)):
        return line
    key, yours = "number" if one else "entry", four(grid.values[far])
    return with_hint(say(key, i=_index(far, shape), a=yours))


def _first_off(grid: Grid, spec: Mapping[str, Any], factor: int) -> int | None:
    """Return the position of the first entry beyond `factor` times the tolerance, if any."""
    tolerance = (factor * spec["rtol"], factor * spec["atol"])
    pairs = enumerate(zip(grid.values, spec["values"], strict=True))
    return next((i for i, (x, y) in pairs if not close(x, y, *tolerance)), None)


def _is_transposed(grid: Grid, spec: Mapping[str, Any]) -> bool:
    if len(spec["shape"]) != 2 or list(grid.shape) != spec["shape"][::-1]:
        return False
    rows, columns = spec["shape"]
    turned = [spec["values"][i * columns + j] for j in range(columns) for i in range(rows)]
    return same(grid.values, turned, spec["rtol"], spec["atol"])


def _row_sum(grid: Grid) -> str:
    """Return the sentence on the first row that does not sum to 1, or nothing."""
    width = grid.shape[-1]
    for row in range(len(grid.values) // width):
        total = 0.0
        for x in grid.values[row * width : (row + 1) * width]:
            total += x
        if abs(total - 1) > 0.02:
            one = len(grid.shape) == 1
            return say("sum", a=four(total)) if one else say("rowsum", i=row, a=four(total))
    return ""


@dataclass(frozen=True, eq=False)
class Array(Typed):
    """An array of real numbers, compared entry by entry.

    Each is right when ``|x - value| <= atol + rtol * |value|``.
    """

    value: Any
    rtol: float = 1e-3
    atol: float = 1e-8

    kind_name: ClassVar[str] = "array"
    label: ClassVar[str] = "Your numbers"

    def compare(self, answer: Any, spec: Mapping[str, Any]) -> Reply:
        """Read the answer as an array and judge it."""
        length = np.size(self.value) if np.ndim(self.value) == 1 else 0
        grid = read_array(answer, length)
        return judge_grid(grid, spec, answer if isinstance(answer, str) else "")

    @property
    def help(self) -> str:
        """How many numbers are asked for and how to type them."""
        shape = np.shape(self.value)
        if len(shape) != 1:
            return f"An array of shape {shape}, typed as [[1, 2], [3, 4]]."
        listed = ", ".join(map(str, [1.5, -2, 0.25, 7, 0][: shape[0]]))
        return f"{shape[0]} numbers, such as {listed.replace(',', '')} or [{listed}]."

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value as an array, nested list, nested tuple and as text."""
        value = np.asarray(self.value, dtype=float)
        nested = value.tolist()
        text = repr(nested)
        forms: tuple[Any, ...] = (self.value, value, nested, tuple(nested), text, repr(value))
        if value.ndim == 1:
            forms += (text.strip("[]"), text.strip("[]").replace(",", ""), text.replace(",", ";"))
        return forms

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return shape, entries and the known wrong arrays."""
        value = np.asarray(self.value, dtype=float)
        rows = value.ndim > 0 and value.size > 0 and value.shape[-1] > 1
        sums = rows and bool(np.allclose(value.sum(-1), 1))
        return {
            "kind": self.kind_name,
            "shape": list(value.shape),
            "values": value.reshape(-1).tolist(),
            "rtol": self.rtol,
            "atol": self.atol,
            "sums": sums,
            "wrong": [_known(w) for w in wrong],
        }

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse a right array that is not finite, too."""
        if not np.all(np.isfinite(np.asarray(self.value, dtype=float))):
            raise ValueError("the right array should be finite")
        super().validate(wrong)


def _known(wrong: Wrong) -> dict[str, Any]:
    grid = read_array(wrong.answer)
    return {"shape": list(grid.shape), "values": list(grid.values), "say": wrong.say}
