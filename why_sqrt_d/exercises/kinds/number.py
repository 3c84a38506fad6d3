"""Exercises answered with one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..grammar import NotANumber
from ..messages import SAY, with_hint
from ..model import Kind, Note, Reply, Wrong, quiet
from ..reading import NotReadable, is_blank, read_number
from .fields import text_field


def close(x: float, target: float, rtol: float, atol: float) -> bool:
    """Tell whether `x` is within the tolerance of `target`."""
    return abs(x - target) <= atol + rtol * abs(target)


def judge_value(x: float, spec: Mapping[str, Any]) -> Reply:
    """Judge a finite number against a spec, as the page's JavaScript does."""
    value, rtol, atol = spec["value"], spec["rtol"], spec["atol"]
    if close(x, value, rtol, atol):
        return Reply(True, SAY["right"])
    for known in spec["wrong"]:
        if close(x, known["value"], rtol, atol):
            return Reply(False, known["say"])
    return Reply(False, with_hint(SAY[_verdict(x, value, rtol, atol)]))


def _verdict(x: float, value: float, rtol: float, atol: float) -> str:
    """Name what can be said about a wrong number without giving the right one away."""
    if close(-x, value, rtol, atol):
        return "sign"
    if close(x, value, 5 * rtol, 5 * atol):
        return "near"
    if close(x, 100 * value, rtol, atol) or close(100 * x, value, rtol, atol):
        return "percent"
    if x <= 0 < value:
        return "positive"
    if value < 0 <= x:
        return "negative"
    if abs(x) > abs(value):
        return "larger" if abs(x) > 10 * abs(value) > 0 else "large"
    return "smaller" if 10 * abs(x) < abs(value) else "small"


@dataclass(frozen=True, eq=False)
class Number(Kind):
    """One real number.

    Attributes
    ----------
    value : float or str
        The right answer, or an expression for it such as ``"sqrt(512)"``.
    rtol, atol : float
        Right when ``|x - value| <= atol + rtol * |value|``.
    """

    value: float | str
    rtol: float = 1e-3
    atol: float = 0.0

    kind_name: ClassVar[str] = "number"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Read the answer as one number and compare it."""
        if is_blank(answer):
            return Reply(False, SAY["blank"], blank=True)
        try:
            x = read_number(answer)
        except (NotANumber, NotReadable) as unreadable:
            return Reply(False, str(unreadable))
        return judge_value(x, self.spec(wrong))

    def right_answers(self) -> tuple[Any, ...]:
        """Return the value as given, as a float and as text."""
        value = read_number(self.value)
        return (self.value, value, repr(value), repr(value).replace(".", ",", 1) + " ")[
            : 4 if self._comma_is_safe(value) else 3
        ]

    @staticmethod
    def _comma_is_safe(value: float) -> bool:
        """Tell whether a decimal comma can be read in one way only: 1,024 cannot."""
        return len(repr(value).partition(".")[2]) != 3

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return value, tolerances and the known wrong values."""
        return {
            "kind": self.kind_name,
            "value": read_number(self.value),
            "rtol": self.rtol,
            "atol": self.atol,
            "wrong": [{"value": read_number(w.answer), "say": w.say} for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return one text field; text, because fractions and roots are welcome."""
        return text_field(
            prefix,
            "Your answer",
            "A number: 0.5, 1/2, sqrt(2) and 50 % all do. Three digits are enough.",
        )

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse wrong values that are right, or that hide one another."""
        spec = self.spec(wrong)
        for w in wrong:
            reply = judge_value(read_number(w.answer), spec)
            if reply.passed or reply.message != w.say:
                raise ValueError(f"wrong answer {w.answer!r} is met with “{reply.message}”")
