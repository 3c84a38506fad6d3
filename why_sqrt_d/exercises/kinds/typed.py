"""What numbers and arrays share: they are typed, read, and compared within a tolerance."""

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..grammar import NotANumber
from ..messages import SAY, say
from ..model import Kind, Note, Reply, Wrong, quiet
from ..reading import NotReadable

EXACT = 1e-3  # how far a number may be from a known wrong one, relative to it, and be meant


def _half_unit(target: float, digits: int) -> float:
    """Return half of one unit of a number's last significant digit."""
    if not digits or target == 0 or not np.isfinite(target):
        return 0.0
    exponent = int(f"{target:.17e}".partition("e")[2])
    return 0.5 * 10.0 ** (exponent - digits + 1) * (1 + 1e-9)


def slack(target: Any, rtol: float, atol: float, digits: int) -> Any:
    """Return how far an answer may be from `target`, entry by entry.

    What rounding to `digits` significant digits does is always allowed.
    """
    rounding = np.reshape([_half_unit(x, digits) for x in np.ravel(target)], np.shape(target))
    return np.maximum(atol + rtol * np.abs(target), rounding)


def as_typed(x: float, digits: int) -> bool:
    """Tell whether a number has at most so many significant digits."""
    return bool(digits) and float(f"{x:.{digits}g}") == x


def is_meant(x: float, target: float, rtol: float, atol: float, digits: int) -> bool:
    """Tell whether `x` is what a known mistake gives: near `target`, or `target` rounded.

    A round number that lies near by chance is not: 0.9959 is no way to write 1, nor 0.07 0.0693.
    """
    if abs(x - target) <= atol + rtol * abs(target):
        return True
    half = min(_half_unit(x, digits), _half_unit(target, digits))
    return as_typed(x, digits) and abs(x - target) <= half


class Typed(Kind):
    """An answer that is read from text or from Python's and NumPy's numbers."""

    label: ClassVar[str]
    rtol: float
    atol: float
    digits: int | None

    @property
    def promised(self) -> int:
        """How many significant digits are enough; 0 if the exact number is asked for."""
        return (3 if self.rtol >= 1e-4 else 0) if self.digits is None else self.digits

    def close(self, x: Any, target: Any, factor: float = 1) -> Any:
        """Tell whether `x` is within the tolerance of `target`, entry by entry."""
        allowed = factor * slack(target, self.rtol, self.atol, self.promised)
        return abs(x - np.asarray(target)) <= allowed

    def meant(self, x: Any, target: Any, rtol: float) -> bool:
        """Tell whether every entry of `x` is what a known mistake gives."""
        pairs = zip(np.ravel(x).tolist(), np.ravel(target).tolist(), strict=True)
        return all(is_meant(a, b, rtol, self.atol, self.promised) for a, b in pairs)

    def coarse(self, x: Any, target: Any, place: str = "") -> str:
        """Return what to say of a number that is right, but rounded to one or two digits.

        `place` is "number" or "entry" where it is one of several, whose index is left open.
        """
        for digits, word in ((1, "one digit"), (2, "two digits")):
            near = abs(x - target) <= min(_half_unit(target, digits), 0.1 * abs(target))
            if near and digits < self.promised and as_typed(x, digits):
                return say(place + "coarse", a=word, b=SAY["counts"].split(" ")[self.promised])
        return ""

    def tolerance(self) -> dict[str, Any]:
        """Return what the page needs to compare as `close` does."""
        return {"rtol": self.rtol, "atol": self.atol, "digits": self.promised}

    def precision(self) -> str:
        """Say how many digits are enough."""
        if not self.promised:
            return "The exact value is asked for."
        count = SAY["counts"].split(" ")[self.promised]
        return f"{count.capitalize()} digit{' is' if count == 'one' else 's are'} enough."

    @abstractmethod
    def compare(self, answer: Any, wrong: Sequence[Wrong]) -> Reply:
        """Read the answer and judge it, as the page's JavaScript does."""

    @property
    @abstractmethod
    def help(self) -> str:
        """How to type the answer."""

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Read the answer and compare it."""
        try:
            with np.errstate(invalid="ignore"):
                return self.compare(answer, wrong)
        except (NotANumber, NotReadable) as unreadable:
            return Reply(False, str(unreadable))

    def fields(self, prefix: str) -> str:
        """Return one text field."""
        return text_field(prefix, self.label, self.help)

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse wrong answers that are right, or that hide one another."""
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if reply.passed or reply.message != w.say:
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
