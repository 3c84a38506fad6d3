"""What an exercise is: its declaration, its known wrong answers, and the verdict on an answer."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from .answers import is_blank
from .messages import SAY, one_line
from .plain_text import plain_text

DRAWS = 10  # how many times an exercise with other numbers is drawn
_SOURCE = re.compile(r"[.](?:ipynb|md)(?=#|$)")  # what a page is made of
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


# What an exercise of one star takes, by its kind; two stars take twice as long.
MINUTES = {"Choice": 1, "PredictChoice": 1, "PredictNumber": 1, "Array": 3, "Function": 6}


@dataclass(frozen=True, repr=False)
class Verdict:
    """What the learner sees on an answer: one line, never a traceback.

    Its truth value is `passed`; `blank` tells that there was no answer to judge. `inputs` are the
    arguments of the call that a function got wrong. A `guess` passes whatever it is. `hint` is the
    number of the hint that follows where the mistake is not known.
    """

    passed: bool
    message: str
    blank: bool = False
    inputs: tuple[Any, ...] = ()
    guess: bool = False
    hint: int = 0
    exercise: str = "?"

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        mark = "→" if self.guess else "✓" if self.passed else "·" if self.blank else "✗"
        more = " The arguments are in check(…).inputs." * ("<array of" in self.message)
        return f"{mark} {self.exercise}  {self.message}{more}"

    __repr__ = __str__


def right() -> Verdict:
    """Return that an answer is right."""
    return Verdict(True, SAY["right"])


def hinted(message: str, hint: int = 1) -> Verdict:
    """Return that it is wrong, and that nobody knows why: a hint follows."""
    return Verdict(False, message, hint=hint)


@dataclass(frozen=True, eq=False)
class Wrong:
    """A known wrong answer and the one plain sentence that names its mistake.

    `answer` is a number, a letter or several, an array or a function.
    """

    answer: Any
    say: str
    name: str = ""  #: what stands before the sentence

    def __post_init__(self) -> None:
        if not self.say.strip() or "\n" in self.say or "$" in self.say:
            raise ValueError(f"a wrong answer needs one line of plain text, got {self.say!r}")


class Kind(ABC):
    """A way to answer: what is read from the learner, and what it is compared with."""

    guess: ClassVar[bool] = False  #: whether it is a bet, of which none is wrong

    @abstractmethod
    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Judge `answer`."""

    @abstractmethod
    def right_answers(self) -> tuple[Any, ...]:
        """Return the right answer and every form of it the kind itself promises to take."""

    def asked(self, wrong: Sequence[Wrong]) -> tuple["Kind", Sequence[Wrong]]:
        """Return what a page asks, and the wrong answers to it: of a function, its result."""
        return self, wrong

    @abstractmethod
    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return what the page's JavaScript needs to judge, as plain JSON values."""

    @abstractmethod
    def fields(self, prefix: str) -> str:
        """Return the HTML of the input fields; every id in it begins with `prefix`."""

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """Refuse wrong answers that are right, or that hide one another."""
        for w in wrong:
            reply = self.judge(w.answer, wrong)
            if reply.passed != reply.guess or not reply.message.endswith(w.say):
                raise ValueError(f"wrong answer {w.answer!r} is met with “{reply.message}”")


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise, declared once; the check, the form, the solution and the tests follow."""

    id: str  #: chapter and number, as in ``"1.2"``
    title: str
    difficulty: int  #: 1, 2 or 3
    statement: str  #: in Markdown
    solution: str  #: in Markdown; it says why
    hints: tuple[str, ...]  #: at least two, from gentle to strong
    kind: Kind  #: how it is answered, with the right answer
    wrong: tuple[Wrong, ...]  #: three known wrong answers or more; of a bet, one
    also: tuple[Any, ...] = ()  #: other functions that are right
    minutes: int = 0  #: what it takes a learner, on paper too; by default its kind and difficulty
    right: str = ""  #: what to say after "Right."; plain Unicode
    learned: str = ""  #: why that is right and what it is good for; links as in ``[text](page)``
    passage: str = ""  #: a link to what settles it, shown on the page after a wrong answer
    others: Callable[[], tuple["Exercise", ...]] | None = None  #: draws it with other numbers
    chapter: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "chapter", self.id.partition(".")[0])
        usual = MINUTES.get(type(self.kind).__name__, 2) * self.difficulty
        object.__setattr__(self, "minutes", self.minutes or usual)
        plain, fewest = self.right + self.learned, 1 if self.kind.guess else 3
        rules = (
            (self.difficulty not in (1, 2, 3), "difficulty should be 1, 2 or 3"),
            (len(self.hints) < 2, "fewer than two hints"),
            (len(self.wrong) < fewest, f"{len(self.wrong)} wrong answers, fewer than {fewest}"),
            ("\n" in plain or "$" in plain, "right and learned should be a plain line"),
            (len(self.praise) > 350, "right and learned have over 350 characters"),
        )
        if said := "; ".join(rule for broken, rule in rules if broken):
            raise ValueError(f"exercise {self.id}: {said}")
        try:
            self.kind.validate(self.wrong)
        except ValueError as error:
            raise ValueError(f"exercise {self.id!r}: {error}") from error

    @cached_property
    def variants(self) -> tuple["Exercise", ...]:
        """The same exercise with other numbers, `DRAWS` times; none if it has no other."""
        return self.others() if self.others else ()

    def with_numbers(self, draw: int) -> "Exercise":
        """Return the exercise with its own numbers (0) or those of one draw."""
        if not 0 <= draw <= len(self.variants):
            there = f"from 0 to {DRAWS}" if self.variants else "0: it has one set of numbers"
            raise ValueError(f"exercise {self.id}: numbers should be {there}, not {draw}")
        return self.variants[draw - 1] if draw else self

    def judge(self, answer: Any) -> Verdict:
        """Judge an answer."""
        if is_blank(answer):
            return Verdict(False, SAY["blank"], blank=True)
        reply = self.kind.judge(answer, self.wrong)
        if reply.passed and self.praise:
            return replace(reply, message=f"{reply.message} {self.praise}")
        if reply.hint:
            return replace(reply, message=f"{reply.message} {self.steps[reply.hint - 1]}")
        return reply

    @property
    def steps(self) -> list[str]:
        """The hints that a wrong answer is met with when its mistake is not known."""
        return [one_line(plain_text(hint)) for hint in self.hints[:2]]

    @property
    def praise(self) -> str:
        """What is said after a right answer, as plain text."""
        return plain_text(f"{self.right} {self.learned}").strip()

    def spec(self) -> dict[str, Any]:
        """Return what the page's JavaScript needs, as plain JSON values."""
        links, passage = (
            [[text, _SOURCE.sub(".html", to)] for text, to in _LINK.findall(part)]
            for part in (self.learned, self.passage)
        )
        return self.kind.spec(self.wrong) | {
            "praise": self.praise,
            "links": links,
            "passage": passage,
            "steps": self.steps,
        }
