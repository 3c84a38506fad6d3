"""Exercises answered by putting steps in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from string import ascii_uppercase
from typing import Any, ClassVar

import numpy as np

from ..messages import SAY, say, with_hint
from ..model import Kind, Note, Reply, Wrong, quiet


@dataclass(frozen=True, eq=False)
class Order(Kind):
    """Steps of a proof or a computation, to be put in order.

    The learner sees letters in a shuffled order that depends on the texts only; keys (two
    characters or more) are for the author.
    """

    steps: tuple[tuple[str, str], ...]  #: key and plain Unicode text, in the right order
    needs: tuple[tuple[str, str, str], ...] = ()  #: (x, y, why): step x needs y before it
    any_order: bool = False  #: whether every order that satisfies all the needs is right

    kind_name: ClassVar[str] = "order"

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

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Take letters as text or in a list, or the author's keys."""
        read = self._read(answer)
        if isinstance(read, Reply):
            return read
        return self._verdict(read, self.spec(wrong))

    def _read(self, answer: Any) -> str | Reply:
        """Return the letters in the learner's order, or why there are none."""
        every = self._every()
        if isinstance(answer, np.ndarray) and answer.ndim == 1:
            answer = answer[:101].tolist()
        if isinstance(answer, str):
            text = answer[:4000]
            for _, _, step in self.shown:  # pasted with the letters
                text = text.replace(step, " ")
            text = re.sub(
                r"(?i)[-=–−]+>|\b(?:then|and|before|first|next|last|finally)\b", " ", text[:500]
            )
            text = re.sub(r"[:()*]", " ", text)
            if re.search(r"(?i)\bafter\b", text):
                return Reply(False, SAY["signs"])
            if ">" in text or re.search("<[-=–−]", text):  # which end comes first?
                return Reply(False, SAY["signs"])
            items = re.findall(r"[^\s,;.→<\-–−]", text.upper())
        elif isinstance(answer, list | tuple) and len(answer) <= 100:
            items = [x.strip() for x in answer if isinstance(x, str)]
            keys = {key: letter for letter, key, _ in self.shown}
            items = [keys.get(x, x.upper()) for x in items]
        else:
            items = []
        if not items:
            return Reply(False, f"Answer with the letters {every} in your order, as in “BAC”.")
        for item in items:
            if item not in every.split(", "):
                return Reply(False, say("stranger", a=every, b=item[:20]))
            if items.count(item) > 1:
                return Reply(False, say("twice", a=every, b=item))
        missing = [x for x in every.split(", ") if x not in items]
        return Reply(False, say("once", a=every, b=missing[0])) if missing else "".join(items)

    def _every(self) -> str:
        return ", ".join(letter for letter, _, _ in self.shown)

    def _verdict(self, letters: str, spec: dict[str, Any]) -> Reply:
        """Compare letters with the right order, as the page's JavaScript does."""
        if letters == spec["right"]:
            return Reply(True, SAY["right"])
        for known in spec["wrong"]:
            if letters == known["letters"]:
                return Reply(False, known["say"])
        for x, y, reason in spec["needs"]:
            if letters.index(x) < letters.index(y):
                return Reply(False, say("needs", a=x, b=y, c=reason))
        if spec["any_order"]:
            return Reply(True, SAY["right"])
        place = next(i for i, x in enumerate(letters) if x != spec["right"][i])
        if place == 0:
            return Reply(False, with_hint(say("notfirst", a=letters[0])))
        line = say("notnext", a=letters[place - 1], b=letters[place])
        return Reply(False, with_hint(line))

    def right_answers(self) -> tuple[Any, ...]:
        """Return the keys and the letters in the right order, the letters in several dresses."""
        keys = tuple(key for key, _ in self.steps)
        letters = self.letters(keys)
        dressed = (" ".join(letters), ", ".join(letters), " → ".join(letters), list(letters))
        return (keys, letters, letters.lower(), *dressed)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return everything in the letters shown."""
        return {
            "kind": self.kind_name,
            "right": self.letters([key for key, _ in self.steps]),
            "any_order": self.any_order,
            "needs": [
                [self.letters([x]), self.letters([y]), why.rstrip(".") + "."]
                for x, y, why in self.needs
            ],
            "wrong": [{"letters": self.letters(w.answer), "say": w.say} for w in wrong],
        }

    def fields(self, prefix: str) -> str:
        """Return the list of steps; every step has a button up and a button down."""
        rows = "".join(
            f'<li class="exercise-step" data-letter="{letter}">'
            f"<span><b>{letter}</b>&#8195;{escape(text)}</span>"
            '<span class="exercise-moves">'
            f'<button type="button" data-move="-1" aria-label="Up: step {letter}">Up</button>'
            f'<button type="button" data-move="1" aria-label="Down: step {letter}">Down</button>'
            "</span></li>"
            for letter, _, text in self.shown
        )
        label = f'<p class="exercise-label" id="{prefix}-label">Put them in order</p>'
        return f'{label}<ol class="exercise-steps" aria-labelledby="{prefix}-label">{rows}</ol>'

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Keys must exist, be unambiguous, and the right order must satisfy the needs."""
        keys = [key for key, _ in self.steps]
        if len(set(keys)) < len(keys) or any(len(key) < 2 for key in keys):
            raise ValueError("step keys must differ and have two characters or more")
        for x, y, _ in self.needs:
            if keys.index(x) < keys.index(y):
                raise ValueError(f"step {x!r} needs {y!r}, which comes later in the right order")
        for w in wrong:
            if sorted(w.answer) != sorted(keys) or list(w.answer) == keys:
                raise ValueError(f"{w.answer!r} is not another order of {keys}")
