"""Exercises answered with a value whose claim is tried: what the trial shows is the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..messages import SAY, four
from ..model import Reply, Wrong
from ..reading import read_number
from .number import Number


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

    def compare(self, answer: Any, wrong: Sequence[Wrong]) -> Reply:
        """Run the trial with the number, and say what it showed."""
        x = read_number(answer)
        if x <= 0:
            return Reply(False, SAY["trialpositive"])
        found = self.trial(x)
        line = f"{SAY['right']} {found.say}" if found.held else found.say
        known = None if found.held else self.known(x, wrong)
        return Reply(found.held, f"{line} {known.say}" if known else line)

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
        return super().spec(wrong) | {"table": sorted(self.table + tried, key=lambda row: row[0])}

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value that is known to hold, as a number and as text."""
        value = read_number(self.value)
        return (self.value, value, repr(value))

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse a value that does not hold, and wrong ones that do."""
        if not self.judge(self.value, wrong).passed:
            raise ValueError(f"the trial does not hold at {self.value!r}")
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if reply.passed or not reply.message.endswith(w.say):
                raise ValueError(f"wrong answer {w.answer!r} is met with “{reply.message}”")
