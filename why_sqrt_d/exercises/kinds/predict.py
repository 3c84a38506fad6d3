"""Exercises answered with a guess: the reader commits to it, then sees what comes out.

No guess is wrong. It is met with the outcome and with how far off it was; what an exercise has
`learned` to say, why that comes out, follows whatever the guess. A known wrong answer is a guess
that has a reason: its sentence names the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..messages import SAY, four, say
from ..model import Note, Reply, Wrong, quiet
from ..reading import read_number
from .choice import Choice
from .number import Number
from .typed import is_meant


@dataclass(frozen=True, eq=False)
class PredictNumber(Number):
    """A guess at a number: close within the factor `near`, else so many times too large or small.

    `value` is what comes out, computed where the exercise is declared.
    """

    rtol: float = 0.05
    near: float = 1.5

    label: ClassVar[str] = "Your guess"

    @property
    def help(self) -> str:
        """How to type a guess."""
        return "A number, such as 0.5, 20 or 1/3. The outcome is shown after your guess."

    def compare(self, answer: Any, wrong: Sequence[Wrong]) -> Reply:
        """Say how far off the guess is, and which reason it may have."""
        x, value = read_number(answer), read_number(self.value)
        if self.close(x, value):
            return Reply(True, say("guesshit", a=four(value)), guess=True)
        if x * value <= 0:
            line = say("guessfar", a=four(value), b=four(x))
        elif 1 / self.near <= x / value <= self.near:
            line = say("guessclose", a=four(value), b=four(x))
        else:
            larger = abs(x) > abs(value)
            times = x / value if larger else value / x
            line = say("guesslarge" if larger else "guesssmall", a=four(value), b=four(times))
        known = self.known(x, wrong)
        return Reply(True, f"{line} {known.say}" if known else line, guess=True)

    def meant(self, x: Any, target: Any, rtol: float) -> bool:
        """Tell whether a guess is what a reason gives, rounded to two digits or three."""
        return any(is_meant(x, target, rtol, self.atol, digits) for digits in (2, 3))

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse reasons that nobody would be told."""
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if not reply.message.endswith(w.say):
                raise ValueError(f"guess {w.answer!r} is met with “{reply.message}”")

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return that it is a guess, too."""
        return super().spec(wrong) | {"guess": True, "near": self.near}


@dataclass(frozen=True, eq=False)
class PredictChoice(Choice):
    """A guess at what happens; `right` is the letter of what does."""

    least_wrong: ClassVar[int] = 1

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Say what happens."""
        reply = super().judge(answer, wrong, note)
        if reply.passed:
            return Reply(True, SAY["guessright"], guess=True)
        if reply.message not in (w.say for w in wrong):
            return reply
        line = say("guessmiss", a=self.right, b=self.options[self.right].rstrip("."))
        return Reply(True, f"{line} {reply.message}", guess=True)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return that it is a guess, and what happens."""
        text = self.options[self.right].rstrip(".")
        return super().spec(wrong) | {"guess": True, "text": text}
