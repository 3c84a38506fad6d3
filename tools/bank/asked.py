"""What a question is: words, numbers drawn from a seed, and an answer that is computed."""

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tools.bank.computed import ANSWERS, QUOTED

SLOT = re.compile(r"«(\w+)»")
WORDS = Path(__file__).with_name("questions.yml")


@dataclass(frozen=True)
class Asked:
    """A question with its numbers: what is asked, the answer, how one finds it, in Markdown.

    An answer is a number, or the right choice's text; `choices` are then all, in the seed's order.
    """

    text: str
    answer: float | str
    why: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question by name: which objective it tests, what its numbers are drawn from, its words."""

    name: str
    objective: str
    drawn: dict[str, list[Any]]
    asks: str
    why: str
    answer: str = ""
    wrong: tuple[str, ...] = ()

    def numbers(self, seed: str) -> dict[str, Any]:
        """Draw the numbers; another question's are independent of them."""
        random = Random(f"{seed}/{self.name}")
        return {name: random.choice(values) for name, values in self.drawn.items()}

    def asked(self, seed: str) -> Asked:
        """Return the question with the numbers of a seed."""
        drawn = self.numbers(seed)
        number = ANSWERS[self.name](**drawn) if not self.answer else 0.0
        quoted = QUOTED[self.name](**drawn) if self.name in QUOTED else {}
        numbers = drawn | {"answer": number} | quoted

        def filled(text: str) -> str:
            return SLOT.sub(lambda slot: shown(numbers[slot[1]]), text)

        text, why, right = map(filled, (self.asks, self.why, self.answer))
        choices = [right, *map(filled, self.wrong)] if self.wrong else []
        Random(f"{seed}/{text}").shuffle(choices)
        return Asked(text, right or number, why, tuple(choices))


def shown(value: float | str) -> str:
    """Return a number as it is printed: five digits of a computed one, none that say nothing.

    >>> shown(0.1 + 0.2), shown(1048576), shown(2.0), shown(1.5e-5)
    ('0.3', '1048576', '2', '0.000015')
    """
    if not isinstance(value, float):
        return str(value)
    text = f"{float(f'{value:.5g}'):.12f}".rstrip("0").rstrip(".")
    return text if text.strip("-0.") or not value else f"{value:.3g}"


QUESTIONS = [Question(**row) for row in yaml.safe_load(WORDS.read_text("utf-8"))]
