"""Exercises answered with one number, also a guessed one, or with several.

What is said here, book/assets/exercises/judging.js says on the page: a table of
`tests/course/exercises/verdicts.txt` holds the two together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..answers import read_number, read_numbers
from ..messages import SAY, four, say
from ..model import Kind, Verdict, Wrong, hinted, right

EXACT = 1e-3  # how far a number may be from a known wrong one, relative to it, and be meant
NEAR = 0.05


def half_unit(target: float, digits: int) -> float:
    """Return half of one unit of a number's last significant digit."""
    if not digits or target == 0 or not math.isfinite(target):
        return 0.0
    exponent = int(f"{target:.17e}".partition("e")[2])
    return 0.5 * 10.0 ** (exponent - digits + 1) * (1 + 1e-9)


def as_typed(x: float, digits: int) -> bool:
    """Tell whether a number has at most so many significant digits."""
    return digits > 0 and float(f"{x:.{digits}g}") == x


@dataclass(frozen=True, eq=False)
class Array(Kind):
    """Several real numbers, taken row by row and compared one by one.

    A number is right when ``|x - value| <= atol + rtol * |value|``, or when it is the value
    rounded to as many digits as are promised.
    """

    value: Any
    rtol: float = 1e-3
    atol: float = 1e-8
    repair: bool = False  #: whether the first number says which line is false

    kind: ClassVar[str] = "array"
    label: ClassVar[str] = "Your numbers"

    @cached_property
    def values(self) -> list[float]:
        """The right numbers, row by row."""
        return read_numbers(self.value)

    @property
    def promised(self) -> int:
        """How many significant digits are enough; 0 if the exact number is asked for."""
        return 0 if self.rtol < 1e-4 else 3 if self.rtol < NEAR else 2

    @cached_property
    def even(self) -> float:
        """What each of the numbers is if they are equal weights; 0 if they are no weights."""
        weights = len(self.values) > 1 and math.isclose(sum(self.values), 1)
        return 1 / len(self.values) if weights else 0.0

    @property
    def help(self) -> str:
        """How the answer can be typed."""
        listed = [1.5, -2, 0.25, 7, 0][: len(self.values)]
        typed = f"such as {' '.join(map(str, listed))} or {listed}"
        return f"{len(self.values)} numbers, {'row by row' * (np.ndim(self.value) > 1) or typed}."

    def precision(self) -> str:
        """Say how many digits are enough."""
        if not self.promised:
            return "The exact value is asked for."
        return f"{('Two', 'Three')[self.promised - 2]} digits are enough."

    def close(self, x: float, target: float) -> bool:
        """Tell whether `x` is right; rounding to the promised number of digits is allowed."""
        allowed = max(self.atol + self.rtol * abs(target), half_unit(target, self.promised))
        return abs(x - target) <= allowed

    def near(self, x: float, target: float) -> bool:
        """Tell whether `x` is right or within five per cent; of p near 1, of 1 - p."""
        size = 1 - target if 0.9 < target < 1 else abs(target - self.even)
        near = x == float(f"{target:.2g}") or abs(x - target) <= NEAR * size
        return near or self.close(x, target)

    def meant(self, x: float, target: float, rtol: float = EXACT, digits: int = 0) -> bool:
        """Tell whether `x` is what a known mistake gives: near `target`, or `target` rounded.

        A round number that lies near by chance is not: 0.9959 is no way to write 1, nor 0.07
        0.0693.
        """
        if abs(x - target) <= self.atol + min(rtol, self.rtol) * abs(target):
            return True
        digits = digits or self.promised
        half = min(half_unit(x, digits), half_unit(target, digits))
        return as_typed(x, digits) and abs(x - target) <= half

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Say the first thing that is wrong: a known mistake, order, factor, sum, one number."""
        got, value = read_numbers(answer), self.values
        if self._same(got, value):
            return right()
        if line := self._named(got, wrong):
            return Verdict(False, line)
        n = len(value)
        if len(got) != n:
            return Verdict(False, say("count", a=n, b=len(got)))
        off = [i for i in range(n) if not self.close(got[i], value[i])]
        far = [i for i in off if not self.near(got[i], value[i])]
        if n > 1 and far:
            if self._same(sorted(got), sorted(value)):
                return hinted(SAY["shuffled"])
            size = sum(y * y for y in value) or 1
            factor = sum(x * y for x, y in zip(got, value, strict=True)) / size
            if factor and self._same([x / factor for x in got], value):
                if abs(factor - 100) < 1:
                    return Verdict(False, SAY["percents"])
                if len(set(map(abs, value)) - {0.0}) > 1:
                    return hinted(SAY["factor"])
            if self.even and abs(sum(got) - 1) > 0.02:
                return Verdict(False, say("sum", a=four(sum(got))))
        i = (far or off)[0]
        x, y = got[i], value[i]
        if self.repair and i == 0:
            return hinted(say("line", a=four(x)))
        key = "large" if x > y else "small"
        if self.near(x, y):
            key = "near"
        elif n == 1 and abs(y) <= 1 and (self.close(x, 100 * y) or self.meant(100 * x, y)):
            key = "percent"
        elif x <= 0 < y:
            key = "positive"
        line = SAY[key] if n == 1 else say("entry", i=i + 1, a=SAY[key])
        return hinted(line, 1 + (n == 2 and off == [1]))  # of a repair, on its line or its number

    def _named(self, got: Sequence[float], wrong: Sequence[Wrong]) -> str:
        """Return the known mistake that gives these numbers: exactly, nearly, or with two digits.

        Nearly is not enough for what may be rounded or may come of a draw.
        """
        alike = len(got) == len(self.values) and all(map(self.near, got, self.values))
        pairs = list(zip(got, self.values, strict=False))
        brief = all(as_typed(x, 2) or self.close(x, y) for x, y in pairs)
        for rtol, digits, skipped in (
            (EXACT, 0, False),
            (min(self.rtol, 20 * EXACT), 0, brief),
            (EXACT, 2, alike or all(as_typed(x, 1) for x in got)),
        ):
            for known in () if skipped else wrong:
                theirs = read_numbers(known.answer)
                if len(theirs) == len(got) and all(
                    self.meant(x, y, rtol, digits) for x, y in zip(got, theirs, strict=True)
                ):
                    return known.say
        return ""

    def _same(self, got: Sequence[float], value: Sequence[float]) -> bool:
        return len(got) == len(value) and all(map(self.close, got, value))

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value."""
        return (self.value,)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the numbers, what is allowed, and the known wrong numbers."""
        return {
            "kind": self.kind,
            "rtol": self.rtol,
            "atol": self.atol,
            "digits": self.promised,
            "even": self.even,
            "repair": self.repair,
            "values": self.values,
            "wrong": [{"values": read_numbers(w.answer), "say": w.say} for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return a labelled text field with a line of help under it."""
        return (
            f'<label id="{prefix}-label" for="{prefix}-answer">{escape(self.label)}</label>'
            f'<input type="text" inputmode="text" id="{prefix}-answer" name="answer"'
            f' aria-labelledby="{prefix}-label {prefix}"'
            f' aria-describedby="{prefix}-help" autocomplete="off" autocapitalize="off"'
            ' spellcheck="false">'
            f'<p class="exercise-help" id="{prefix}-help">'
            f"{escape(f'{self.help} {self.precision()}'.strip())}</p>"
        )


@dataclass(frozen=True, eq=False)
class Number(Array):
    """One real number."""

    atol: float = 0.0

    kind: ClassVar[str] = "number"
    label: ClassVar[str] = "Your answer"
    help: ClassVar[str] = "A number: 0.5, 1/2, sqrt(2) and 50 % all do."


@dataclass(frozen=True, eq=False)
class PredictNumber(Number):
    """A guess at a number: `value` is what comes out, computed where the exercise is declared.

    The reader commits to a guess, then sees it; no guess is wrong, and a known wrong answer is one
    that has a reason.
    """

    rtol: float = 0.05

    guess: ClassVar[bool] = True
    label: ClassVar[str] = "Your guess"
    help: ClassVar[str] = "A number, such as 0.5, 20 or 1/3. You then see what comes out."

    def precision(self) -> str:
        """Say nothing: any number of digits is enough."""
        return ""

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Say what comes out, and which reason the guess may have."""
        x, value = read_number(answer), float(self.value)
        if self.close(x, value):
            return Verdict(True, say("guesshit", a=four(value)), guess=True)
        line = say("guessfar", a=four(value), b=four(x))
        for known in wrong:  # a guess may be given with two digits
            if any(self.meant(x, float(known.answer), digits=digits) for digits in (2, 3)):
                return Verdict(True, f"{line} {known.say}", guess=True)
        return Verdict(True, line, guess=True)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return that it is a guess, too."""
        return {**super().spec(wrong), "guess": True}
