"""What a question is: words, numbers drawn from a seed, and an answer that is computed."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with its numbers.

    Attributes
    ----------
    text : str
        What is asked, in Markdown.
    answer : float or str
        The number, or the right choice's text.
    why : str
        How one finds it, in Markdown.
    wrong : tuple of str
        The other choices, if there is something to choose.
    """

    text: str
    answer: float | str
    why: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question by name: which objective it tests, and how it is drawn and asked."""

    name: str
    objective: str
    draw: Callable[[Random], Numbers]
    ask: Callable[..., Asked]

    def asked(self, seed: str) -> Asked:
        """Return the question with the numbers of a seed."""
        return self.ask(**self.numbers(seed))

    def numbers(self, seed: str) -> Numbers:
        """Draw the numbers; another question's are independent of them."""
        return self.draw(Random(f"{seed}/{self.name}"))


class Bank:
    """The questions of one chapter, in the order in which they are declared."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def add(self, objective: str, **numbers: Any) -> Callable[..., Callable[..., Asked]]:
        """Declare a question by a function of its numbers.

        Each number is given as the list that it is drawn from.
        """

        def draw(random: Random) -> Numbers:
            return {name: random.choice(values) for name, values in numbers.items()}

        def declare(ask: Callable[..., Asked]) -> Callable[..., Asked]:
            self.questions.append(Question(ask.__name__, objective, draw, ask))
            return ask

        return declare


def shown(value: float) -> str:
    """Return a number as it is printed: five digits, none that say nothing.

    >>> shown(0.1 + 0.2), shown(1048576), shown(2.0), shown(1.5e-5)
    ('0.3', '1048600', '2', '0.000015')
    """
    text = f"{float(f'{value:.5g}'):.12f}".rstrip("0").rstrip(".")
    return text if text.strip("-0.") or not value else f"{value:.3g}"
