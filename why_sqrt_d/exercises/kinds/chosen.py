"""Exercises answered with letters: one option of several, also guessed, or steps in order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from string import ascii_uppercase
from typing import Any, ClassVar

import numpy as np

from ..messages import SAY, say
from ..model import Kind, Verdict, Wrong, right


def _texts(answer: Any) -> list[str]:
    """Return the texts that an answer consists of; none if it is something else."""
    if isinstance(answer, np.ndarray):
        answer = answer.ravel().tolist()
    listed = answer if isinstance(answer, list | tuple) else [answer]
    return [x[:2000] for x in listed[:100]] if all(isinstance(x, str) for x in listed) else []


def _bare(text: str) -> str:
    """Return text without what does not matter: case, blanks and signs around it."""
    return " ".join(text.split()).strip(" ()[].:'\"").casefold()


@dataclass(frozen=True, eq=False)
class Choice(Kind):
    """One option of several."""

    options: Mapping[str, str]  #: letter to plain Unicode text
    right: str  #: the right letter; every other one needs its `Wrong`

    guess: ClassVar[bool] = False  #: whether no answer is wrong

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Take a letter or an option's own text."""
        given = [_bare(text) for text in _texts(answer)]
        meant = [x for x, text in self.options.items() if given in ([_bare(x)], [_bare(text)])]
        if not meant:
            return Verdict(False, say("letters", a=", ".join(self.options)))
        if meant[0] == self.right:
            return Verdict(True, SAY["guessright"], guess=True) if self.guess else right()
        (known,) = (w.say for w in wrong if w.answer == meant[0])
        missed = say("guessmiss", a=self.right, b=self.text) + " " if self.guess else ""
        return Verdict(self.guess, missed + known, guess=self.guess)

    @property
    def text(self) -> str:
        """What the right option says."""
        return self.options[self.right].rstrip(".")

    def right_answers(self) -> tuple[Any, ...]:
        """Return the letter, and the option's text."""
        return (self.right, self.options[self.right])

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the letters and each wrong one's sentence."""
        known = [{"letter": w.answer, "say": w.say} for w in wrong]
        bet = {"guess": True, "text": self.text} if self.guess else {}
        about = {"kind": "choice", "letters": list(self.options), "right": self.right}
        return {**about, **bet, "wrong": known}

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
        if self.right not in self.options or sorted(w.answer for w in wrong) != others:
            raise ValueError(f"{self.right!r} is right: each of {others} needs one sentence")


@dataclass(frozen=True, eq=False)
class PredictChoice(Choice):
    """A guess at what happens; `right` is the letter of what does, and no guess is wrong."""

    guess: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class Order(Kind):
    """Steps of a proof or a computation, to be put in order.

    Every order that satisfies the needs is right. The learner sees letters in a shuffled order
    that depends on the texts only; keys are for the author.
    """

    steps: tuple[tuple[str, str], ...]  #: key and plain Unicode text, in the right order
    needs: tuple[tuple[str, str, str], ...] = ()  #: (x, y, why): step x needs y before it

    @cached_property
    def shown(self) -> tuple[tuple[str, str, str], ...]:
        """Letter, key and text in the order the learner sees."""
        mixed = sorted(self.steps, key=lambda step: sha256("|".join(step).encode()).digest())
        if tuple(mixed) == self.steps:
            mixed = mixed[1:] + mixed[:1]
        return tuple((ascii_uppercase[i], *step) for i, step in enumerate(mixed))

    def letters(self, keys: Sequence[str]) -> str:
        """Translate step keys into the letters shown."""
        letter = {key: shown for shown, key, _ in self.shown}
        return "".join(letter[key] for key in keys)

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Take letters as text, also as a chain such as `B < A < C`, or in a list."""
        letters = re.sub(r"[-=]>|[\s,;→<]", "", "".join(_texts(answer))).upper()
        every = sorted(letter for letter, _, _ in self.shown)
        if sorted(letters) != every:
            off = [x for x in every if letters.count(x) != 1]
            why = say("twice" if off[0] in letters else "missing", b=off[0]) if off else ""
            return Verdict(False, f"{say('once', a=', '.join(every))} {why}".rstrip())
        for known in wrong:
            if letters == known.answer:
                return Verdict(False, known.say)
        for x, y, why in self._needs:
            if letters.index(x) < letters.index(y):
                return Verdict(False, say("needs", a=x, b=y, c=why))
        return right()

    @property
    def _needs(self) -> list[list[str]]:
        return [[*self.letters([x, y]), why.rstrip(".") + "."] for x, y, why in self.needs]

    def right_answers(self) -> tuple[Any, ...]:
        """Return the letters in the right order, as text and in a list."""
        letters = self.letters([key for key, _ in self.steps])
        return (letters, list(letters))

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return everything in the letters shown."""
        return {
            "kind": "order",
            "needs": self._needs,
            "wrong": [{"letters": w.answer, "say": w.say} for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return the list of steps; every step has a button up and a button down."""
        rows = "".join(
            f'<li class="exercise-step" data-letter="{letter}">'
            f"<span><b>{letter}</b>&#8195;{escape(text)}</span>"
            '<span class="exercise-moves">'
            f'<button type="button" data-move="-1" aria-label="Up: step {letter}">↑</button>'
            f'<button type="button" data-move="1" aria-label="Down: step {letter}">↓</button>'
            "</span></li>"
            for letter, _, text in self.shown
        )
        label = f'<p class="exercise-label" id="{prefix}-label">Put them in order</p>'
        return f'{label}<ol class="exercise-steps" aria-labelledby="{prefix}-label">{rows}</ol>'

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse needs that the right order does not satisfy, too."""
        super().validate(wrong)
        keys = [key for key, _ in self.steps]
        for x, y, _ in self.needs:
            if keys.index(x) < keys.index(y):
                raise ValueError(f"step {x!r} needs {y!r}, which comes later in the right order")
