"""Exercises answered with an array of numbers; a table holds this and judging.js together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..answers import read_array
from ..messages import SAY, four, say
from ..model import Verdict, Wrong, hinted, right
from .typed import EXACT, Typed


@dataclass(frozen=True, eq=False)
class Array(Typed):
    """An array of real numbers, compared entry by entry."""

    atol: float = 1e-8
    repair: bool = False  #: whether the first number says which line is false

    kind: ClassVar[str] = "array"
    label: ClassVar[str] = "Your numbers"

    @property
    def help(self) -> str:
        """How many numbers are asked for and how to type them."""
        shape = np.shape(self.value)
        if len(shape) != 1:
            how = "with brackets for each row" if len(shape) == 2 else "as NumPy prints it"
            return f"An array of shape {shape}, {how}. {self.precision()}"
        listed = ", ".join(map(str, [1.5, -2, 0.25, 7, 0][: shape[0]]))
        typed = f"{listed.replace(',', '')} or [{listed}]"
        return f"{shape[0]} numbers, such as {typed}. {self.precision()}"

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Say the first thing that is wrong: of shape, order, factor, sum, entry."""
        value = read_array(self.value)
        n = value.size
        got = read_array(answer, n if value.ndim == 1 else 0)
        if got.size == n and (got.ndim < 2 or (value.ndim == 1 and n in got.shape)):
            got = got.reshape(value.shape)  # all in one row, or as SymPy and PyTorch have it
        if self._same(got, value):
            return right()
        for rtol, digits in ((EXACT, 0), (self.rtol, 0), (EXACT, 2)):
            alike = all(map(self.near if digits else self._brief, got.flat, value.flat))
            for known in wrong if got.shape != value.shape or not alike else ():
                theirs = read_array(known.answer)
                pairs = zip(got.flat, theirs.flat, strict=False)
                if got.shape == theirs.shape and all(self.meant(*p, rtol, digits) for p in pairs):
                    return Verdict(False, known.say)
        if value.ndim == 2 and self._same(got, value.T):
            return Verdict(False, SAY["transposed"])
        if got.shape != value.shape:
            if value.ndim == 1 and got.ndim <= 1:
                return Verdict(False, say("count", a=n, b=got.size))
            return Verdict(False, say("shape", a=value.shape, b=got.shape))
        x, y = got.ravel().tolist(), value.ravel().tolist()
        for i, entry in enumerate(x):
            if not math.isfinite(entry):
                key = "infinite" if math.isinf(entry) else "notanumber"
                return Verdict(False, say(key, i=_place(i, got.shape)))
        if self._same(np.sort(got, axis=None), np.sort(value, axis=None)):
            return hinted(SAY["shuffled"])
        off = [i for i in range(n) if not self.close(x[i], y[i])]
        far = [i for i in off if not self.near(x[i], y[i])]
        if not far:
            return hinted(say("nearentry", i=_place(off[0], got.shape)))
        if len(far) > 1 and all(map(math.isclose, x, (float(f"{one:.1g}") for one in y))):
            return hinted(SAY["rounded"])
        factor = float(got.ravel() @ value.ravel() / (value.ravel() @ value.ravel() or 1))
        if n > 1 and factor and self._same(got / factor, value):
            if abs(factor + 1) < 0.01:
                return Verdict(False, SAY["negated"])
            if abs(factor - 100) < 1:
                return Verdict(False, SAY["percents"])
            if len(set(map(abs, y)) - {0.0}) > 1:
                return hinted(SAY["factor"])
        if self.even:
            for i, total in enumerate(np.atleast_1d(got.sum(axis=-1)).ravel().tolist()):
                if abs(total - 1) > 0.02:
                    key = "sum" if got.ndim == 1 else "rowsum"
                    return Verdict(False, say(key, i=i, a=four(total)))
        if self.repair and far[0] == 0:
            return hinted(say("line", a=four(x[0])))
        key, i = "onlyentry" if len(off) == 1 and n > 1 else "entry", far[0]
        how = say("yours", a=four(x[i]))
        if x[i] <= 0 < y[i] or y[i] < 0 <= x[i]:
            how = SAY["positive" if y[i] > 0 else "negative"].lower()
        elif y[i] > 0:
            how = f"{four(x[i])} is {SAY['large' if x[i] > y[i] else 'small'].lower()}"
        return hinted(say(key, i=_place(i, got.shape), a=how), 1 + (n == 2 and off == [1]))

    def _brief(self, x: float, target: float) -> bool:
        """Tell whether `x` is right, or is what is right with two digits in place of three."""
        return self.close(x, target) or (self.promised == 3 and x == float(f"{target:.2g}"))

    def _same(self, got: np.ndarray, value: np.ndarray) -> bool:
        return got.shape == value.shape and all(map(self.close, got.flat, value.flat))

    @cached_property
    def even(self) -> float:  # type: ignore[override]
        """What each weight is in a row of equal ones; 0 if the numbers are no weights."""
        value = read_array(self.value)
        rows = value.ndim > 0 and value.size > 0 and value.shape[-1] > 1
        return 1 / value.shape[-1] if rows and np.allclose(value.sum(-1), 1) else 0.0

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return shape, entries, whether rows are weights, and the known wrong arrays, too."""
        value = read_array(self.value)
        known = [_listed(w.answer) | {"say": w.say} for w in wrong]
        about = {"even": self.even, "repair": self.repair, "wrong": known}
        return {**super().spec(wrong), **_listed(value), **about}


def _listed(value: Any) -> dict[str, Any]:
    array = read_array(value)
    return {"shape": list(array.shape), "values": array.ravel().tolist()}


def _place(position: int, shape: tuple[int, ...]) -> str:
    """Write a flat position as a place: `number 2`, in a matrix `the entry at index [0, 1]`."""
    if len(shape) == 1:
        return f"number {position + 1}"
    return f"the entry at index {[int(i) for i in np.unravel_index(position, shape)]}"
