"""What numbers and arrays share: they are typed, read, and compared within a tolerance."""

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..grammar import NotANumber
from ..model import Kind, Note, Reply, Wrong, quiet
from ..reading import NotReadable


def close(x: Any, target: Any, rtol: float, atol: float) -> Any:
    """Tell whether `x` is within the tolerance of `target`, entry by entry."""
    return abs(x - target) <= atol + rtol * abs(target)


class Typed(Kind):
    """An answer that is read from text or from Python's and NumPy's numbers."""

    label: ClassVar[str]

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
