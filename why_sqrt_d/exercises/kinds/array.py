"""Exercises answered with an array of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import has_decimal_comma
from ..messages import SAY, four, say, shape_text, with_hint
from ..model import Reply, Wrong
from ..reading import read_array
from .typed import EXACT, Typed


def _place(position: int, shape: tuple[int, ...]) -> str:
    """Write a flat position as a place: the second number is `2`, in a matrix `[0, 1]`."""
    if len(shape) == 1:
        return str(position + 1)
    return str([int(i) for i in np.unravel_index(position, shape)])


def _shape(got: np.ndarray, value: np.ndarray) -> str:
    """Say how many numbers are asked for, or which shape."""
    if value.ndim != 1 or got.ndim > 1:
        return say("shape", a=shape_text(value.shape), b=shape_text(got.shape))
    a = f"{_count(value.size)} number{' is' if value.size == 1 else 's are'}"
    b = f"are {_count(got.size)}" if got.size > 1 else "is one" if got.size else "is empty"
    return say("count", a=a[0].upper() + a[1:], b=f"yours {b}")


def _count(n: int) -> str:
    words = SAY["counts"].split(" ")
    return words[n] if n < len(words) else str(n)


def _row_sum(got: np.ndarray) -> str:
    """Return the sentence on the first row that does not sum to 1, or nothing."""
    for row, total in enumerate(np.ravel(got.sum(axis=-1)).tolist()):
        if abs(total - 1) > 0.02:
            key = "sum" if got.ndim == 1 else "rowsum"
            return say(key, i=row, a=four(total))
    return ""


@dataclass(frozen=True, eq=False)
class Array(Typed):
    """An array of real numbers, compared entry by entry.

    Each is right when ``|x - value| <= atol + rtol * |value|``, or rounded to `digits` digits:
    three, unless rtol asks for the exact number.
    """

    value: Any
    rtol: float = 1e-3
    atol: float = 1e-8
    digits: int | None = None

    kind_name: ClassVar[str] = "array"
    label: ClassVar[str] = "Your numbers"

    def same(self, got: np.ndarray, value: np.ndarray) -> bool:
        """Tell whether all entries of `got` are within the tolerance of those of `value`."""
        return got.shape == value.shape and bool(np.all(self.close(got, value)))

    def known(self, got: np.ndarray, wrong: Sequence[Wrong]) -> Wrong | None:
        """Return the known wrong array that `got` is; of two that are near, the nearer one."""
        for rtol in (min(EXACT, self.rtol), self.rtol):
            for known in wrong:
                theirs = read_array(known.answer)
                if got.shape == theirs.shape and self.meant(got, theirs, rtol):
                    return known
        return None

    def compare(self, answer: Any, wrong: Sequence[Wrong]) -> Reply:
        """Read the answer as an array and judge it."""
        value = np.asarray(self.value, dtype=float)
        got = read_array(answer, value.size if value.ndim == 1 else 0)
        if value.ndim == 1 and sorted(got.shape) == sorted((1, value.size)):
            got = got.ravel()  # one row or one column, as SymPy and PyTorch have it
        if self.same(got, value):
            return Reply(True, SAY["right"])
        if known := self.known(got, wrong):
            return Reply(False, known.say)
        if value.ndim == got.ndim == 2 and self.same(got.T, value):
            return Reply(False, SAY["transposed"])
        if got.shape != value.shape:
            comma = isinstance(answer, str) and has_decimal_comma(answer)
            point = f" {SAY['point']}" if comma and got.size > value.size else ""
            return Reply(False, _shape(got, value) + point)
        return Reply(False, self._difference(got, value))

    def _difference(self, got: np.ndarray, value: np.ndarray) -> str:
        """Say the first thing that is wrong in an array of the right shape: order, sum, entry."""
        key = "number" if value.ndim == 1 else "entry"
        if not np.isfinite(got).all():
            odd = int(np.argmin(np.isfinite(got)))
            kind = "nan" if np.isnan(got.flat[odd]) else "inf"
            return say(key + kind, i=_place(odd, value.shape))
        if self.same(np.sort(got, axis=None), np.sort(value, axis=None)):
            return with_hint(SAY["shuffled"])
        near = self.close(got, value, 5)
        if near.all():
            first = int(np.argmin(self.close(got, value)))
            return with_hint(say(f"{key}near", i=_place(first, value.shape)))
        if relation := self._relation(got, value):
            line = say(relation, b=_count(self.promised))
            return with_hint(line) if relation == "factor" else line
        if self._sums and (line := _row_sum(got)):
            return line
        flat = zip(got.flat, value.flat, near.flat, strict=True)
        rough = [self.coarse(x, target, key) if not fine else "" for x, target, fine in flat]
        off = [i for i, fine in enumerate(near.flat) if not fine]
        first = next((i for i in off if not rough[i]), off[0])
        if rough[first]:
            return rough[first].replace("{i}", _place(first, value.shape))
        if value.size > 1 and self.close(got, value).sum() == value.size - 1:
            key = f"only{key}"
        return with_hint(say(key, i=_place(first, value.shape), a=four(float(got.flat[first]))))

    def _relation(self, got: np.ndarray, value: np.ndarray) -> str:
        """Name what all entries have in common that are wrong alike, or nothing."""
        if value.size > 1 and self.same(-got, value):
            return "negated"
        if value.size > 1 and self.same(got / 100, value):
            return "percents"
        for places in range(1 if value.size > 2 else 2, self.promised):
            unit = 10.0**-places
            whole = np.abs(got / unit - np.round(got / unit)) < 1e-6
            if np.all(whole & (np.abs(got - value) <= 0.5 * unit * (1 + 1e-9))):
                return "early"
        if len({*np.abs(value[value != 0]).tolist()}) < 2:
            return ""
        factor = float(np.abs(got).sum() / np.abs(value).sum())
        return "factor" if factor > 0 and self.same(got / factor, value) else ""

    @property
    def _sums(self) -> bool:
        """Whether each row is one of weights."""
        value = np.asarray(self.value, dtype=float)
        rows = value.ndim > 0 and value.size > 0 and value.shape[-1] > 1
        return rows and bool(np.allclose(value.sum(-1), 1))

    @property
    def help(self) -> str:
        """How many numbers are asked for and how to type them."""
        shape = np.shape(self.value)
        if len(shape) != 1:
            how = "typed as [[1, 2], [3, 4]]" if len(shape) == 2 else "as NumPy prints it"
            return f"An array of shape {shape}, {how}. {self.precision()}"
        listed = ", ".join(map(str, [1.5, -2, 0.25, 7, 0][: shape[0]]))
        typed = f"{listed.replace(',', '')} or [{listed}]"
        return f"{shape[0]} numbers, such as {typed}. {self.precision()}"

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
        known = [_listed(read_array(w.answer)) | {"say": w.say} for w in wrong]
        about = {"kind": self.kind_name, "sums": self._sums, **self.tolerance()}
        return about | _listed(np.asarray(self.value, dtype=float)) | {"wrong": known}

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse a right array that is not finite, too."""
        if not np.all(np.isfinite(np.asarray(self.value, dtype=float))):
            raise ValueError("the right array should be finite")
        super().validate(wrong)


def _listed(value: np.ndarray) -> dict[str, Any]:
    return {"shape": list(value.shape), "values": value.reshape(-1).tolist()}
