"""Exercises answered with one number, also a guessed or a tried one.

What is said here, book/assets/exercises/judging.js says on the page: a table of
`tests/course/exercises/verdicts.txt` holds the two together.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..answers import read_number
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
class Typed(Kind):
    """What numbers and arrays share: they are typed, read, and compared within a tolerance.

    An answer is right when ``|x - value| <= atol + rtol * |value|``, or when it is the value
    rounded to `digits` digits: three, unless rtol asks for the exact number.
    """

    value: Any
    rtol: float = 1e-3
    atol: float = 0.0
    digits: int | None = None

    kind: ClassVar[str]
    label: ClassVar[str] = "Your answer"
    even: ClassVar[float] = 0.0  #: the weight of each in a row of equal weights

    @property
    def promised(self) -> int:
        """How many significant digits are enough; 0 if the exact number is asked for."""
        return (3 if self.rtol >= 1e-4 else 0) if self.digits is None else self.digits

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

    @property
    @abstractmethod
    def help(self) -> str:
        """How to type the answer."""

    def precision(self) -> str:
        """Say how many digits are enough."""
        if not self.promised:
            return "The exact value is asked for."
        return f"{('Two', 'Three')[self.promised - 2]} digits are enough."

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value."""
        return (self.value,)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the tolerance."""
        about = {"rtol": self.rtol, "atol": self.atol, "digits": self.promised}
        return {"kind": self.kind, **about}

    def fields(self, prefix: str) -> str:
        """Return one text field."""
        return text_field(prefix, self.label, self.help)


def text_field(prefix: str, label: str, help_text: str) -> str:
    """Return a labelled text field with a line of help under it."""
    return (
        f'<label id="{prefix}-label" for="{prefix}-answer">{escape(label)}</label>'
        f'<input type="text" inputmode="text" id="{prefix}-answer" name="answer"'
        f' aria-labelledby="{prefix}-label {prefix}"'
        f' aria-describedby="{prefix}-help" autocomplete="off" autocapitalize="off"'
        ' spellcheck="false">'
        f'<p class="exercise-help" id="{prefix}-help">{escape(help_text)}</p>'
    )


@dataclass(frozen=True, eq=False)
class Number(Typed):
    """One real number."""

    kind: ClassVar[str] = "number"

    @property
    def help(self) -> str:
        """How a number can be typed."""
        return f"A number: 0.5, 1/2, sqrt(2) and 50 % all do. {self.precision()}"

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Read the answer as one number and judge it."""
        x, value = read_number(answer), float(self.value)
        if self.close(x, value):
            return right()
        brief = as_typed(x, 2)  # else it may come of a draw, or of steps
        for rtol, digits in ((EXACT, 0), (EXACT, 2) if brief else (self.rtol, 0)):
            for known in wrong if not digits or self._two(x) else ():
                if self.meant(x, known.answer, rtol, digits):
                    return Verdict(False, known.say)
        if self.close(-x, value):
            return hinted(SAY["sign"])
        if self.near(x, value):
            return hinted(SAY["near"])
        if abs(value) <= 1 and (self.close(x, 100 * value) or self.meant(100 * x, value)):
            return hinted(SAY["percent"])
        if x <= 0 < value or value < 0 <= x:
            return hinted(SAY["positive" if value > 0 else "negative"])
        if value < 0:
            return hinted(SAY["below" if x < value else "above"])
        if abs(x) > abs(value):
            return hinted(SAY["larger" if abs(x) > 10 * abs(value) > 0 else "large"])
        return hinted(SAY["smaller" if 10 * abs(x) < abs(value) else "small"])

    def _two(self, x: float) -> bool:
        """Tell whether `x` has two digits, not fewer, and is no rounded right answer."""
        return not as_typed(x, 1) and not self.near(x, float(self.value))

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the value and the known wrong values, too."""
        known = [{"value": float(w.answer), "say": w.say} for w in wrong]
        return {**super().spec(wrong), "value": float(self.value), "wrong": known}


@dataclass(frozen=True, eq=False)
class PredictNumber(Number):
    """A guess at a number: close within `factor`, else so many times too large or small.

    `value` is what comes out, computed where the exercise is declared. The reader commits to a
    guess, then sees it; no guess is wrong, and a known wrong answer is one that has a reason.
    """

    rtol: float = 0.05
    factor: float = 1.5  #: within which a guess is close

    guess: ClassVar[bool] = True
    label: ClassVar[str] = "Your guess"

    @property
    def help(self) -> str:
        """How to type a guess."""
        return "A number, such as 0.5, 20 or 1/3. The outcome is shown after your guess."

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Say how far off the guess is, and which reason it may have."""
        x, value = read_number(answer), float(self.value)
        a, b = four(value), four(x)
        if self.close(x, value):
            return Verdict(True, say("guesshit", a=a), guess=True)
        if 1 / self.factor <= x / value <= self.factor:
            line = say("guessclose", a=a, b=b)
        elif x * value <= 0 or self.rtol < 1e-6:  # a count is told without a ratio
            line = say("guessfar", a=a, b=b)
        else:
            key = "guesslarge" if abs(x) > abs(value) else "guesssmall"
            line = say(key, a=a, b=four(float(f"{max(x / value, value / x):.2g}")))
        for known in wrong:  # a guess may be given with two digits
            if any(self.meant(x, known.answer, digits=digits) for digits in (2, 3)):
                return Verdict(True, f"{line} {known.say}", guess=True)
        return Verdict(True, line, guess=True)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return that it is a guess, too."""
        return {**super().spec(wrong), "guess": True, "near": self.factor}


class Finding(NamedTuple):
    """What a trial showed: whether the claim held, and one sentence with the figures."""

    held: bool
    say: str


@dataclass(frozen=True, eq=False)
class TriedNumber(Number):
    """A positive number, such as a scale, with which something is claimed to work.

    `trial(x)` runs it, with seeds of its own, and says what it showed. `value` is a number that
    holds. For the page the trial was run at `count` numbers from `span`, evenly spaced on a
    logarithmic axis, and at the `fine` ones; the nearest answers a number that is typed there. A
    function whose claim is tried is a `Function` whose mechanisms check what it returns.
    """

    trial: Callable[[float], Finding] = lambda x: Finding(False, "")
    span: tuple[float, float] = (0.01, 100.0)
    count: int = 81
    fine: Sequence[float] = ()  #: where the claim begins or ceases to hold

    label: ClassVar[str] = "Your value"
    help: ClassVar[str] = "A positive number, such as 0.5, 20 or 1/sqrt(64); it is tried."

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Run the trial with the number, and say what it showed."""
        x = read_number(answer)
        if x <= 0:
            return Verdict(False, SAY["trialpositive"])
        held, line = self.trial(x)
        if held:
            return Verdict(True, f"{SAY['right']} {line}")
        known = [w.say for w in wrong if self.meant(x, w.answer)]
        return Verdict(False, " ".join([line, *known[:1]]))

    @cached_property
    def table(self) -> list[list[Any]]:
        """What the trial shows: a number, whether the claim held, and the sentence."""
        low, high = np.log(self.span)
        numbers = np.exp(np.linspace(low, high, self.count)).tolist()
        tried = {float(four(x)) for x in (*numbers, *self.fine)}
        return [[x, *self.trial(x)] for x in sorted(tried)]

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the table of trials, too, with each known wrong value among them."""
        known = [float(w.answer) for w in wrong]
        tried = [[x, *self.trial(x)] for x in (*known, float(self.value)) if x > 0]
        table = sorted(self.table + tried, key=lambda row: row[0])
        return {**super().spec(wrong), "table": table}

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse a value that does not hold, too."""
        if not self.judge(self.value, wrong).passed:
            raise ValueError(f"the trial does not hold at {self.value!r}")
        super().validate(wrong)
