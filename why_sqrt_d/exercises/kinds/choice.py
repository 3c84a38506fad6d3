"""Exercises answered by choosing one option."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..messages import SAY, one_line, say
from ..model import Kind, Note, Reply, Wrong, quiet

# What may stand around a letter, as in "option b" or "I think it is (b)"; any other word could
# turn its meaning ("not b") or make it a quantity ("the square root of d").
_CARRIERS = frozenset(
    {"option", "answer", "choice", "letter", "choose", "pick", "take", "say", "think", "would"}
    | {"the", "my", "is", "it", "its", "it's", "i"}
)
_MARKS = re.compile(r"[\s()\[\].:,;=\"“”]+")


def alone(answer: Any) -> Any:
    """Return the one text in a list, tuple or array of one, and anything else as it is."""
    if isinstance(answer, np.ndarray):
        answer = answer.reshape(-1).tolist()
    one = isinstance(answer, list | tuple) and len(answer) == 1 and isinstance(answer[0], str)
    return answer[0] if one else answer


def folded(text: str) -> str:
    """Return text without what does not matter: case, runs of blanks, a final full stop."""
    return " ".join(text.split()).casefold().rstrip(".")


@dataclass(frozen=True, eq=False)
class Choice(Kind):
    """One option of several."""

    options: Mapping[str, str]  #: letter to plain Unicode text
    right: str  #: the right letter; every other one needs its `Wrong`

    kind_name: ClassVar[str] = "choice"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Take a letter, however dressed, or an option's own text."""
        answer = alone(answer)
        asked = say("letters", a=", ".join(self.options))
        if not isinstance(answer, str):
            return Reply(False, f"{asked} {self._odd(answer)}")
        letter = self._letter(answer[:2000])
        if letter == self.right:
            return Reply(True, SAY["right"])
        for known in wrong:
            if known.answer == letter:
                return Reply(False, known.say)
        return Reply(False, f"{asked} {self._unread(answer[:2000])}")

    def _odd(self, answer: Any) -> str:
        """Say what stands in place of a letter."""
        if isinstance(answer, list | tuple) and len(answer) > 1:
            return f"You gave {len(answer)}: choose the one that fits best."
        if isinstance(answer, int | float | np.number) and not isinstance(answer, bool):
            return "Yours is a number: write the letter before the option that has it."
        return f"Yours is of type {type(answer).__name__}."

    def _unread(self, text: str) -> str:
        """Say why a text is no letter: it names several options, or none."""
        named = [x for x in self.options if x.casefold() in _MARKS.split(text.casefold())]
        fits = self._fitting(text) or (named if len(named) > 1 else [])
        shown = one_line(text, 40)
        if fits:
            return f"“{shown}” can mean {' or '.join(fits)}."
        return f"“{shown}” is none of them, nor part of an option."

    def _fitting(self, text: str) -> list[str]:
        """Return the letters of the options in which the text stands, whole words of it."""
        part = folded(text).strip(" .,:;'\"“”")
        if len(part) < 4:
            return []
        whole = re.compile(rf"(?<!\w){re.escape(part)}(?!\w)")
        return [x for x, option in self.options.items() if whole.search(folded(option))]

    def _letter(self, text: str) -> str:
        bare = folded(text.strip(" \t\n()[].:'\""))
        for letter, option in self.options.items():
            if bare in (letter.casefold(), folded(option)) or folded(text) == folded(option):
                return letter
        for letter, option in self.options.items():  # pasted: letter and text of the same option
            lead = re.match(rf"[\s(*]*{re.escape(letter)}[\s()*.:,]+", text, re.I)
            rest = text[lead.end() :].strip(" *\"'") if lead else ""
            if rest and (folded(rest) == folded(option) or letter in self._fitting(rest)):
                return letter
        words = [word for word in _MARKS.split(folded(text)) if word]
        found = [x for x in self.options if x.casefold() in words]
        others = {*words} - {x.casefold() for x in found}
        once = len(found) == 1 and words.count(found[0].casefold()) == 1
        if once and others <= _CARRIERS:
            return found[0]
        fits = self._fitting(text)
        return fits[0] if len(fits) == 1 and not found else ""

    def right_answers(self) -> tuple[Any, ...]:
        """Return the letter in several dresses, and the option's text."""
        text = self.options[self.right]
        dressed = (f" ({self.right}) ", f"{self.right})", text, f"  {text.upper()} ")
        return (self.right, self.right.upper(), *dressed)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the letters and each wrong one's sentence."""
        return {
            "kind": self.kind_name,
            "letters": list(self.options),
            "right": self.right,
            "wrong": [{"letter": w.answer, "say": w.say} for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return a group of radio buttons."""
        rows = "".join(
            f'<label class="exercise-option" for="{prefix}-{letter}">'
            f'<input type="radio" id="{prefix}-{letter}" name="answer" value="{letter}">'
            f"<span><b>{letter}</b>&#8195;{escape(text)}</span></label>"
            for letter, text in self.options.items()
        )
        return f"<fieldset><legend>Choose one</legend>{rows}</fieldset>"

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Every option but the right one needs exactly one sentence."""
        others = sorted(set(self.options) - {self.right})
        if self.right not in self.options or not all(x.isalnum() for x in self.options):
            raise ValueError(f"the right letter {self.right!r} is not among {list(self.options)}")
        if sorted(w.answer for w in wrong) != others:
            raise ValueError(f"each of {others} needs one wrong answer with its sentence")
        if len({folded(t) for t in self.options.values()}) < len(self.options):
            raise ValueError("two options have the same text")
