"""Exercises answered with one number or an array of numbers, also guessed or tried ones."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import verdicts
from ..answers import read_array, read_number
from ..messages import SAY, four
from ..model import Kind, Note, Reply, Wrong, quiet


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

    label: ClassVar[str] = "Your answer"

    @property
    def promised(self) -> int:
        """How many significant digits are enough; 0 if the exact number is asked for."""
        return (3 if self.rtol >= 1e-4 else 0) if self.digits is None else self.digits

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
        return {"kind": self.kind_name, **about}

    def fields(self, prefix: str) -> str:
        """Return one text field."""
        return text_field(prefix, self.label, self.help)

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse wrong answers that are right, or that hide one another."""
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if reply.passed != reply.guess or not reply.message.endswith(w.say):
                raise ValueError(f"wrong answer {w.answer!r} is met with “{reply.message}”")


def text_field(prefix: str, label: str, help_text: str) -> str:
    """Return a labelled text field with a line of help under it."""
    return (
        f'<label for="{prefix}-answer">{escape(label)}</label>'
        f'<input type="text" inputmode="text" id="{prefix}-answer" name="answer"'
        f' aria-describedby="{prefix}-help" autocomplete="off" autocapitalize="off"'
        ' spellcheck="false">'
        f'<p class="exercise-help" id="{prefix}-help">{escape(help_text)}</p>'
    )


@dataclass(frozen=True, eq=False)
class Number(Typed):
    """One real number."""

    kind_name: ClassVar[str] = "number"

    @property
    def help(self) -> str:
        """How a number can be typed."""
        return f"A number: 0.5, 1/2, sqrt(2) and 50 % all do. {self.precision()}"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Read the answer as one number and judge it."""
        return verdicts.number(self.spec(wrong), read_number(answer))

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the value and the known wrong values, too."""
        known = [{"value": read_number(w.answer), "say": w.say} for w in wrong]
        return {**super().spec(wrong), "value": read_number(self.value), "wrong": known}


@dataclass(frozen=True, eq=False)
class Array(Typed):
    """An array of real numbers, compared entry by entry."""

    atol: float = 1e-8

    kind_name: ClassVar[str] = "array"
    label: ClassVar[str] = "Your numbers"

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

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Read the answer as an array and judge it."""
        got = read_array(answer)
        return verdicts.array(self.spec(wrong), list(got.shape), got.ravel().tolist())

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return shape, entries, whether rows are weights, and the known wrong arrays, too."""
        value = read_array(self.value)
        rows = value.ndim > 0 and value.size > 0 and value.shape[-1] > 1
        sums = rows and bool(np.allclose(value.sum(-1), 1))
        known = [_listed(w.answer) | {"say": w.say} for w in wrong]
        return {**super().spec(wrong), **_listed(value), "sums": sums, "wrong": known}


def _listed(value: Any) -> dict[str, Any]:
    array = read_array(value)
    return {"shape": list(array.shape), "values": array.ravel().tolist()}


@dataclass(frozen=True, eq=False)
class PredictNumber(Number):
    """A guess at a number: close within the factor `near`, else so many times too large or small.

    `value` is what comes out, computed where the exercise is declared. The reader commits to a
    guess, then sees it; no guess is wrong, and a known wrong answer is one that has a reason.
    """

    rtol: float = 0.05
    near: float = 1.5

    label: ClassVar[str] = "Your guess"

    @property
    def help(self) -> str:
        """How to type a guess."""
        return "A number, such as 0.5, 20 or 1/3. The outcome is shown after your guess."

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Say how far off the guess is, and which reason it may have."""
        return verdicts.guessed_number(self.spec(wrong), read_number(answer))

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return that it is a guess, too."""
        return {**super().spec(wrong), "guess": True, "near": self.near}


class Finding(NamedTuple):
    """What a trial showed: whether the claim held, and one sentence with the figures."""

    held: bool
    say: str


@dataclass(frozen=True, eq=False)
class TriedNumber(Number):
    """A positive number, such as a scale, with which something is claimed to work.

    `trial(x)` runs it, with seeds of its own, and says what it showed. `value` is a number that
    holds. For the page the trial was run at `count` numbers from `span`, evenly spaced on a
    logarithmic axis, and the nearest one answers a number that is typed there. A function whose
    claim is tried is a `Function` whose mechanisms check what it returns.
    """

    trial: Callable[[float], Finding] = lambda x: Finding(False, "")
    span: tuple[float, float] = (0.01, 100.0)
    count: int = 81

    label: ClassVar[str] = "Your value"
    help: ClassVar[str] = "A positive number, such as 0.5, 20 or 1/sqrt(64); it is tried."

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Run the trial with the number, and say what it showed."""
        x = read_number(answer)
        if x <= 0:
            return Reply(False, SAY["trialpositive"])
        held, line = self.trial(x)
        if held:
            return Reply(True, f"{SAY['right']} {line}")
        spec = super().spec(wrong)
        known = [w["say"] for w in spec["wrong"] if verdicts.meant(x, w["value"], spec)]
        return Reply(False, " ".join([line, *known[:1]]))

    @cached_property
    def table(self) -> list[list[Any]]:
        """What the trial shows: a number, whether the claim held, and the sentence."""
        low, high = np.log(self.span)
        numbers = [float(four(x)) for x in np.exp(np.linspace(low, high, self.count)).tolist()]
        return [[x, *self.trial(x)] for x in numbers]

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the table of trials, too, with each known wrong value among them."""
        known = [read_number(w.answer) for w in wrong]
        tried = [[x, *self.trial(x)] for x in (*known, read_number(self.value)) if x > 0]
        table = sorted(self.table + tried, key=lambda row: row[0])
        return {**super().spec(wrong), "table": table}

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse a value that does not hold, too."""
        if not self.judge(self.value, wrong).passed:
            raise ValueError(f"the trial does not hold at {self.value!r}")
        super().validate(wrong)
