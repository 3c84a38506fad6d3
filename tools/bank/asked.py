"""What a question is: words, numbers drawn from a seed, and an answer that is computed."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A question with its numbers: what is asked, the answer, how one finds it, in Markdown.

    An answer is a number, or the right choice's text; `wrong` are then the other choices.
    """

    text: str
    answer: float | str
    why: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question by name: which objective it tests, what it is drawn from, and how it is asked."""

    name: str
    objective: str
    drawn: dict[str, list[Any]]
    ask: Callable[..., Asked]

    def numbers(self, seed: str) -> dict[str, Any]:
        """Draw the numbers; another question's are independent of them."""
        random = Random(f"{seed}/{self.name}")
        return {name: random.choice(values) for name, values in self.drawn.items()}

    def asked(self, seed: str) -> Asked:
        """Return the question with the numbers of a seed."""
        return self.ask(**self.numbers(seed))


QUESTIONS: list[Question] = []  # in the order in which the chapters declare them


def question(objective: str, **drawn: list[Any]) -> Callable[..., Callable[..., Asked]]:
    """Declare a question by a function of its numbers, each given as what it is drawn from."""

    def declare(ask: Callable[..., Asked]) -> Callable[..., Asked]:
        QUESTIONS.append(Question(ask.__name__, objective, drawn, ask))
        return ask

    return declare


def shown(value: float) -> str:
    """Return a number as it is printed: five digits, none that say nothing.

    >>> shown(0.1 + 0.2), shown(1048576), shown(2.0), shown(1.5e-5)
    ('0.3', '1048600', '2', '0.000015')
    """
    text = f"{float(f'{value:.5g}'):.12f}".rstrip("0").rstrip(".")
    return text if text.strip("-0.") or not value else f"{value:.3g}"
