r"""A chapter's exercises as declared: their words in Markdown, numbers and functions in Python.

`questions.md` beside a chapter's `questions.py`:

    # 7.1 Which root?
    difficulty: 1
    heads = 8
    width = 64 * heads
    right: sqrt(width / heads)

    A layer has width $«width»$ and $«heads»$ heads …

    ## Right
    One sentence, and
    ## Learned
    why that is right, with a [link](chapter.ipynb#place).
    ## Passage
    [Where the text](chapter.ipynb#place) settles it, where that does not stand just above.
    ## Wrong
    - sqrt(width): That is √«width», the root of the model's width.
    ## Hints
    - How many components …
    - A head is …
    ## Solution
    Each head works in …

Below the title stand `difficulty`, `minutes` if the usual ones do not fit, names for numbers, and
the right answer: a letter or arithmetic, `guess: b` where it is guessed before it is seen, and
`within: 0.01` where it may be further off than usual. A choice has `## Options`, an order
`## Steps` and `## Needs`, a function `## Mechanisms`.
What stands between « and » is a name, with a format if it has one: «root:.3g»; «n:,» has groups
of three from five digits on, and an array's numbers stand side by side.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np

from .answers import NAMES, NotReadable, evaluated
from .kinds.chosen import Choice, Order, PredictChoice
from .kinds.function import Function, Inputs, Instead, Use
from .kinds.mechanism import Mechanism
from .kinds.typed import Array, Number, PredictNumber
from .model import DRAWS, Exercise, Kind, Wrong

_LINE = re.compile(r"[a-z ]+: |\w+ = ")
_SLOT = re.compile(r"«(\w+)(?::([^»]*))?»")
_SETTINGS = ("difficulty", "minutes", "right", "guess", "within", "instead")
_LISTS = ("Options", "Steps", "Needs", "Mechanisms", "Says", "Wrong")
_TEXTS = ("", "Right", "Learned", "Passage", "Instead", "Code", "Hints", "Solution")
_TRIES = 500
Options = Sequence[Any] | Callable[[Random], Any]
Values = dict[str, Any]  #: names for the text and for the wrong answers


class Words:
    """The words of one exercise: its title, its settings and its sections."""

    def __init__(self, part: str) -> None:
        """Read what stands below one `# `."""
        title, _, body = part.partition("\n")
        self.id, _, self.title = title.partition(" ")
        head, _, body = body.partition("\n\n")
        self.settings = dict(re.findall(r"(?m)^([a-z ]+): (.+)", head))
        self.defined = dict(re.findall(r"(?m)^(\w+) = (.+)", head))
        heads = ["", *re.findall(r"(?m)^## (.+)$", body)]
        texts = (text.strip() for text in re.split(r"(?m)^## .+$", body))
        self.parts = dict(zip(heads, texts, strict=True))
        self.numbers: dict[str, Any] = {}
        self._refuse({x for x in head.split("\n") if x and not _LINE.match(x)}, "cannot read")
        self._refuse({"difficulty"} - set(self.settings), "questions.md has no")
        self._refuse(set(self.settings) - {*_SETTINGS}, "has no such setting as")
        self._refuse(set(heads) - {*_LISTS, *_TEXTS}, "has no such section as")

    def _refuse(self, names: set[str], why: str) -> None:
        if names:
            listed = ", ".join(repr(name) for name in sorted(names))
            raise ValueError(f"exercise {self.id}: {why} {listed}")

    def fill(self, text: str, numbers: Mapping[str, Any]) -> str:
        """Return a text with the numbers in their places."""

        def value(slot: re.Match[str]) -> str:
            if slot[1] not in numbers:
                here = ", ".join(sorted(numbers))
                raise ValueError(f"exercise {self.id}: {slot[0]} in questions.md: not in {here}")
            number, form = numbers[slot[1]], slot[2] or ""
            if form == ",":
                return f"{number:,}".replace(",", "\u00a0") if number >= 10_000 else str(number)
            several = isinstance(number, np.ndarray)
            return ", ".join(format(x, form) for x in (number.tolist() if several else [number]))

        return _SLOT.sub(value, text)

    def value(self, text: str, numbers: Mapping[str, Any]) -> Any:
        """Return the value of a text's arithmetic: a whole number, another one or an array."""
        try:
            value = evaluated(text, {**NAMES, **numbers})
        except NotReadable as error:
            raise ValueError(f"exercise {self.id}: {error}") from error
        if isinstance(value, list):
            return np.array(value)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def filled(self, given: Mapping[str, Any] = MappingProxyType({})) -> "Words":
        """Return the words with their numbers in place; what is said later keeps its slots."""
        numbers = dict(given)
        for name, arithmetic in self.defined.items():
            numbers.setdefault(name, self.value(arithmetic, numbers))
        made = copy(self)
        made.numbers = numbers
        made.parts = {
            head: text if head == "Says" else self.fill(text, numbers)
            for head, text in self.parts.items()
        }
        return made

    def listed(self, head: str) -> dict[str, str]:
        """Return the entries of a list by the names that they begin with."""
        return dict(item.split(": ", 1) for item in _items(self.parts.get(head, "")))

    def named(self, head: str, what: str, made: Mapping[str, Any]) -> dict[str, str]:
        """Return the sentences of what Python has under the names of a list."""
        sentences = self.listed(head)
        options = self.listed("Options") if head == "Wrong" else {}
        self._refuse(set(sentences) - {*made, *options}, f"questions.py has no {what}, for")
        self._refuse(set(made) - set(sentences), "questions.md has no sentence, for")
        return {name: sentences[name] for name in made}

    def exercise(
        self,
        kind: Kind | None = None,
        functions: Mapping[str, Any] | None = None,
        also: Sequence[Any] = (),
    ) -> Exercise:
        """Return the exercise; `functions` are the wrong ones."""
        kind = kind or self.kind()
        if functions is None:
            wrong = [
                Wrong(self._answer(kind, name), why, name)
                for name, why in self.listed("Wrong").items()
            ]
        else:
            sentences = self.named("Wrong", "wrong answer", functions)
            wrong = [
                Wrong(x, why, name) for name, why in sentences.items() for x in functions[name]
            ]
        texts = {head: self.parts.get(head, "") for head in _TEXTS}
        flowing = {head: _flowing(text) for head, text in texts.items()}
        return Exercise(
            id=self.id,
            title=self.title,
            difficulty=int(self.settings["difficulty"]),
            minutes=int(self.settings.get("minutes", 0)),
            statement=flowing[""],
            kind=kind,
            wrong=tuple(wrong),
            also=tuple(also),
            hints=tuple(_items(texts["Hints"])),
            solution=flowing["Solution"],
            right=flowing["Right"],
            learned=flowing["Learned"],
            passage=texts["Passage"],
        )

    def _answer(self, kind: Kind, text: str) -> Any:
        """Return a wrong answer: letters, or arithmetic with the exercise's numbers."""
        if isinstance(kind, Order):
            return kind.letters(text.split())
        return text if isinstance(kind, Choice) else self.value(text, self.numbers)

    def kind(self) -> Kind:
        """Return the kind of an exercise whose answer stands in the file."""
        settings, numbers = self.settings, self.numbers
        options, steps = self.listed("Options"), self.listed("Steps")
        right, guess = settings.get("right", ""), settings.get("guess", "")
        if steps:
            needs: Any = tuple((*x.split(), why) for x, why in self.listed("Needs").items())
            return Order(tuple(steps.items()), needs)
        if options and (right or guess):
            return PredictChoice(options, guess) if guess else Choice(options, right)
        within: Values = {}
        if "within" in settings:
            within["rtol"] = self.value(settings["within"], numbers)
        if guess:
            return PredictNumber(self.value(guess, numbers), **within)
        if right:
            value = self.value(right, numbers)
            if np.ndim(value):
                return Array(value, repair=self.title.startswith("Repair:"), **within)
            return Number(value, **within)
        hints, wrong = (len(_items(self.parts.get(x, ""))) for x in ("Hints", "Wrong"))
        raise ValueError(
            f"exercise {self.id}: questions.md has no “right:” or “guess:”, and questions.py "
            f"computes no answer; {hints} hints, {wrong} wrong answers: two and three are needed"
        )

    def instead(self) -> Instead | None:
        """Return the choice that a page without Python asks in place of a function."""
        if "instead" not in self.settings:
            return None
        options, reasons = self.listed("Options"), self.listed("Wrong")
        wrong = tuple(Wrong(x, reasons[x]) for x in options if x in reasons)
        kind = Choice(options, self.settings["instead"])
        return Instead(_flowing(self.parts["Instead"]), kind, wrong)


class Questions:
    """The exercises of one chapter, by their ids."""

    def __init__(self, module: str) -> None:
        """Read the Markdown file beside a module, whose `__file__` is given."""
        source = Path(module).with_suffix(".md").read_text(encoding="utf-8")
        words = [Words(part) for part in re.split(r"(?m)^# (?=\d+\.)", source)[1:]]
        self._words = {each.id: each for each in words}
        if len(self._words) < len(words):
            raise ValueError(f"an exercise stands twice in {', '.join(each.id for each in words)}")
        self._made: dict[str, Exercise] = {}

    def numbers(
        self,
        exercise: str,
        names: Callable[..., Values] = lambda **numbers: {},
        **draws: Options,
    ) -> None:
        """Declare other numbers that can stand in the places of those that the file defines.

        `draws` gives them by name: a sequence, or a function of a `random.Random`. From them
        `names` computes what the file's arithmetic cannot.
        """
        words = self._known(exercise)
        words._refuse(set(draws) - set(words.defined), "questions.md gives no number for")

        def made(numbers: Mapping[str, Any]) -> Exercise:
            return words.filled({**numbers, **names(**numbers)}).exercise()

        def others() -> tuple[Exercise, ...]:
            """Draw by fixed seeds, again where two answers coincide or numbers come back."""
            different = {first.statement: first}
            for attempt in range(_TRIES):
                if len(different) > DRAWS:
                    return tuple(different.values())[1:]
                with suppress(ValueError):
                    random = Random(f"{exercise}/{attempt}")
                    drawn = {
                        name: options(random) if callable(options) else random.choice(options)
                        for name, options in draws.items()
                    }
                    other = made(drawn)
                    different.setdefault(other.statement, other)
            raise ValueError(f"exercise {exercise}: only {len(different) - 1} draws differ")

        first = made({name: words.value(words.defined[name], {}) for name in draws})
        self._made[exercise] = replace(first, others=others if draws else None)

    def function(
        self,
        exercise: str,
        reference: Callable[..., Any],
        *,
        mechanisms: Mapping[str, Mechanism],
        wrong: Mapping[str, Any],
        inputs: Inputs | None = None,
        also: Sequence[Callable[..., Any]] = (),
        use: Use | None = None,
        taken: Callable[..., Any] | None = None,
    ) -> None:
        """Declare that a function is asked for, by one that is right.

        `mechanisms` are the calls that are tried first, under the names that stand before their
        sentences; so are the `wrong` functions, or the keyword-only arguments with which
        `reference` goes wrong, or a list of either. `inputs` draws more calls, `also` has others
        that are right, `taken` is the package's own, which is not to be called, and `use` says
        what comes of a function where it is put to use. The learner starts from `## Code`, to be
        repaired, or from three dots.
        """
        words = self._known(exercise).filled()
        sentences = words.named("Mechanisms", "mechanism", mechanisms)
        every = inspect.signature(reference).parameters.values()
        taking = (p.replace(annotation=p.empty) for p in every if p.kind < p.KEYWORD_ONLY)
        listed = ", ".join(str(p).replace(" ", "") for p in taking)
        code = words.parts.get("Code", "").removeprefix("```python\n").removesuffix("\n```")
        kind = Function(
            name=reference.__name__,
            stub=code or f"def {reference.__name__}({listed}):\n    ...",
            reference=reference,
            mechanisms=tuple(
                replace(call, name=name, say=sentences[name]) for name, call in mechanisms.items()
            ),
            inputs=inputs,
            instead=words.instead(),
            use=use,
            taken=taken,
        )
        made = {
            name: [
                partial(reference, **way) if isinstance(way, dict) else way
                for way in (ways if isinstance(ways, list) else [ways])
            ]
            for name, ways in wrong.items()
        }
        self._made[exercise] = words.exercise(kind, made, also)

    def say(self, exercise: str, name: str, **numbers: Any) -> str:
        """Return a sentence of `## Says`, for a check, with its numbers."""
        words = self._known(exercise)
        return words.fill(words.listed("Says")[name], numbers)

    def exercises(self) -> tuple[Exercise, ...]:
        """Return every exercise, in the file's order."""
        return tuple(
            self._made[name] if name in self._made else words.filled().exercise()
            for name, words in self._words.items()
        )

    def _known(self, exercise: str) -> Words:
        if exercise not in self._words:
            raise ValueError(
                f"exercise {exercise}: questions.py declares it, questions.md has no "
                f"“# {exercise} …”"
            )
        return self._words[exercise]


def _flowing(text: str) -> str:
    """Return each paragraph on one line, as a viewer that keeps line breaks needs it."""
    code = re.split(r"(```.*?```)", text, flags=re.S)
    end = re.compile(r"(?<=\S)\n(?=\S)(?!\d\. )")  # but not before a line with a number
    return "".join(part if part.startswith("```") else end.sub(" ", part) for part in code)


def _items(text: str) -> list[str]:
    """Return the entries of a list, each on one line."""
    return [re.sub("[ \n]+", " ", item).strip(" \n") for item in re.split(r"(?m)^- ", text)[1:]]
