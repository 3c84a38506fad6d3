"""Exercises answered with one number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..messages import SAY, with_hint
from ..model import Reply, Wrong
from ..reading import read_number
from .typed import EXACT, Typed, as_typed


@dataclass(frozen=True, eq=False)
class Number(Typed):
    """One real number, or an expression for it such as ``"sqrt(512)"``.

    An answer is right when ``|x - value| <= atol + rtol * |value|``, or when it is the value
    rounded to `digits` digits: three, unless rtol asks for the exact number.
    """

    value: float | str
    rtol: float = 1e-3
    atol: float = 0.0
    digits: int | None = None

    kind_name: ClassVar[str] = "number"
    label: ClassVar[str] = "Your answer"

    @property
    def help(self) -> str:
        """How a number can be typed."""
        return f"A number: 0.5, 1/2, sqrt(2) and 50 % all do. {self.precision()}"

    def compare(self, answer: Any, wrong: Sequence[Wrong]) -> Reply:
        """Read the answer as one number and judge it."""
        x, value = read_number(answer), read_number(self.value)
        if self.close(x, value):
            return Reply(True, SAY["right"])
        if known := self.known(x, wrong):
            return Reply(False, known.say)
        if not self.close(x, value, 5) and (line := self.coarse(x, value)):
            return Reply(False, line)
        if not as_typed(x, 2) and (known := self.known(x, wrong, self.rtol)):
            return Reply(False, known.say)  # a result of a draw, or of rounded steps
        per_cent = isinstance(answer, str) and "%" in answer
        return Reply(False, with_hint(SAY[self._verdict(x, value, per_cent)]))

    def known(self, x: float, wrong: Sequence[Wrong], rtol: float = EXACT) -> Wrong | None:
        """Return the known wrong answer that `x` is, if it is one."""
        for known in wrong:
            if self.meant(x, read_number(known.answer), min(rtol, self.rtol)):
                return known
        return None

    def _verdict(self, x: float, value: float, per_cent: bool) -> str:
        """Name what can be said about a wrong number without giving the right one away."""
        if self.close(-x, value):
            return "sign"
        if self.close(x, value, 5):
            return "near"
        if (per_cent or abs(value) <= 1) and (  # what is no share is seldom given per cent
            self.close(x, 100 * value) or self.close(100 * x, value)
        ):
            return "percent"
        if x <= 0 < value:
            return "positive"
        if value < 0 <= x:
            return "negative"
        if abs(x) > abs(value):
            return "larger" if abs(x) > 10 * abs(value) > 0 else "large"
        return "smaller" if 10 * abs(x) < abs(value) else "small"

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value as given, as a float and as text, with a decimal comma if it is safe.

        It is where it can be read in one way only: 1,024 cannot.
        """
        value = read_number(self.value)
        forms = (self.value, value, repr(value))
        safe = len(repr(value).partition(".")[2]) != 3
        return (*forms, repr(value).replace(".", ",", 1) + " ") if safe else forms

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return value, tolerances and the known wrong values."""
        return {
            "kind": self.kind_name,
            "value": read_number(self.value),
            **self.tolerance(),
            "wrong": [{"value": read_number(w.answer), "say": w.say} for w in wrong],
        }
