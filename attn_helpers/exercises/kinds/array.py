"""Exercises answered with an array of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..arrays import Grid
from ..grammar import NotANumber
from ..messages import SAY, four, say, shape_text, with_hint
from ..model import Kind, Note, Reply, Wrong, quiet
from ..reading import NotReadable, is_blank, read_array
from .fields import text_field
from .number import close


def same(a: Sequence[float], b: Sequence[float], rtol: float, atol: float) -> bool:
    """Tell whether all entries of `a` are within the tolerance of those of `b`."""
    return all(close(x, y, rtol, atol) for x, y in zip(a, b, strict=True))


def _index(position: int, shape: Sequence[int]) -> str:
    """Write a flat position as an index into the shape: `[1, 0]`."""
    indices = list(product(*(range(n) for n in shape)))[position]
    return "[" + ", ".join(map(str, indices)) + "]"


def judge_grid(grid: Grid, spec: Mapping[str, Any]) -> Reply:
    """Judge an array against a spec, as the page's JavaScript does."""
    shape, values, tolerance = spec["shape"], spec["values"], (spec["rtol"], spec["atol"])
    if list(grid.shape) == shape and same(grid.values, values, *tolerance):
        return Reply(True, SAY["right"])
    for known in spec["wrong"]:
        if list(grid.shape) == known["shape"] and same(grid.values, known["values"], *tolerance):
            return Reply(False, known["say"])
    return Reply(False, _difference(grid, spec))


def _difference(grid: Grid, spec: Mapping[str, Any]) -> str:
    """Say the first thing that is wrong: kind of number, shape, order, sum, entry."""
    shape, values, tolerance = spec["shape"], spec["values"], (spec["rtol"], spec["atol"])
    if _is_transposed(grid, spec):
        return SAY["transposed"]
    if list(grid.shape) != shape:
        return say("shape", a=shape_text(tuple(shape)), b=shape_text(grid.shape))
    for i, x in enumerate(grid.values):
        if not math.isfinite(x):
            return say("entrynan" if math.isnan(x) else "entryinf", i=_index(i, shape))
    if same(sorted(grid.values), sorted(values), *tolerance):
        return with_hint(SAY["shuffled"])
    if spec["sums"] and (line := _row_sum(grid)):
        return line
    i = next(
        i
        for i, (x, y) in enumerate(zip(grid.values, values, strict=True))
        if not close(x, y, *tolerance)
    )
    return with_hint(say("entry", i=_index(i, shape), a=four(grid.values[i])))


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
class Array(Kind):
    """An array of real numbers, compared entry by entry.

    Attributes
    ----------
    value : array_like
        The right answer.
    rtol, atol : float
        Each entry is right when ``|x - value| <= atol + rtol * |value|``.
    """

    value: Any
    rtol: float = 1e-3
    atol: float = 1e-8

    kind_name: ClassVar[str] = "array"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Read the answer as an array and compare it."""
        if is_blank(answer):
            return Reply(False, SAY["blank"], blank=True)
        try:
            grid = read_array(answer)
        except (NotANumber, NotReadable) as unreadable:
            return Reply(False, str(unreadable))
        return judge_grid(grid, self.spec(wrong))

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
        sums = (
            value.ndim > 0
            and value.size > 0
            and bool(np.allclose(value.sum(-1), 1) and value.shape[-1] > 1)
        )
        return {
            "kind": self.kind_name,
            "shape": list(value.shape),
            "values": value.reshape(-1).tolist(),
            "rtol": self.rtol,
            "atol": self.atol,
            "sums": sums,
            "wrong": [_known(w) for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return one text field."""
        help_text = _example(self.value)
        return text_field(prefix, "Your numbers", help_text)

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse wrong arrays that are right, or that hide one another."""
        if not np.all(np.isfinite(np.asarray(self.value, dtype=float))):
            raise ValueError("the right array should be finite")
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if reply.passed or reply.message != w.say:
                raise ValueError(f"wrong answer {w.answer!r} is met with “{reply.message}”")


def _example(value: Any) -> str:
    """Say how many numbers are asked for and how to type them."""
    shape = np.shape(value)
    if len(shape) != 1:
        return f"An array of shape {shape}, typed as [[1, 2], [3, 4]]."
    some = [1.5, -2, 0.25, 7, 0][: shape[0]]
    listed = ", ".join(map(str, some))
    return f"{shape[0]} numbers, such as {listed.replace(',', '')} or [{listed}]."


def _known(wrong: Wrong) -> dict[str, Any]:
    grid = read_array(wrong.answer)
    return {"shape": list(grid.shape), "values": list(grid.values), "say": wrong.say}
