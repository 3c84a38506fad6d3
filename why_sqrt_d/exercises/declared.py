r"""A chapter's exercises as declared: their words in Markdown, numbers and functions in Python.

`questions.md` beside a chapter's `questions.py`:

    # 7.1 Which root?
    difficulty: 1

    A layer has width $«width»$ and $«heads»$ heads …

    ## Right
    One sentence, and
    ## Learned
    why that is right, with a [link](chapter.ipynb#place).
    ## Passage
    [Where the text](chapter.ipynb#place) settles it, where that does not stand just above.
    ## Wrong
    - width root: That is √«width», the root of the model's width.
    ## Hints
    - How many components …
    - A head is …
    ## Solution
    Each head works in …

Below the title stand `difficulty`, `minutes` if the usual ones do not fit, and the right answer,
where it is not computed: `right: b`, or `guess: b` where it is guessed before it is seen. A
choice has `## Options`, an order `## Steps` and `## Needs`, a function `## Mechanisms`.
What stands between « and » is a name, with a format if it has one: «root:.3g».
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from .answers import read_number
from .kinds.chosen import Choice, Order, PredictChoice
from .kinds.function import Function, Inputs, Instead
from .kinds.mechanism import Mechanism
from .kinds.typed import Array, Number, PredictNumber
from .model import DRAWS, Exercise, Kind, Wrong

_SLOT = re.compile(r"«(\w+)(?::([^»]*))?»")
_SETTING = re.compile(r"([a-z ]+): (.+)")
_SETTINGS = ("difficulty", "minutes", "right", "guess", "within", "near", "any order", "instead")
_LISTS = ("Options", "Steps", "Needs", "Mechanisms", "Says", "Wrong")
_TEXTS = ("", "Right", "Learned", "Passage", "Instead", "Hints", "Solution")
_TRIES = 500
Options = Sequence[Any] | Callable[[Random], Any]
Values = dict[str, Any]  #: wrong answers, or names for the text


class Words:
    """The words of one exercise: its title, its settings and its sections."""

    def __init__(self, part: str) -> None:
        """Read what stands below one `# `."""
        title, _, body = part.partition("\n")
        self.id, _, self.title = title.partition(" ")
        self.settings: dict[str, str] = {}
        while found := _SETTING.match(body.lstrip("\n")):
            self.settings[found[1]] = found[2].strip()
            body = body.lstrip("\n").partition("\n")[2]
        heads = ["", *re.findall(r"(?m)^## (.+)$", body)]
        texts = (text.strip() for text in re.split(r"(?m)^## .+$", body))
        self.parts = dict(zip(heads, texts, strict=True))
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
            return format(numbers[slot[1]], slot[2] or "")

        return _SLOT.sub(value, text)

    def listed(self, head: str, numbers: Mapping[str, Any]) -> dict[str, str]:
        """Return the entries of a list by the names that they begin with."""
        text = self.fill(self.parts.get(head, ""), numbers)
        return dict(item.split(": ", 1) for item in _items(text))

    def match(self, what: str, said: Mapping[str, Any], made: Mapping[str, Any]) -> None:
        """Refuse names that stand in only one of the two files."""
        self._refuse(set(said) - set(made), f"questions.py has no {what}, for")
        self._refuse(set(made) - set(said), "questions.md has no sentence, for")


class Questions:
    """The exercises of one chapter, by their ids."""

    def __init__(self, module: str) -> None:
        """Read the Markdown file beside a module, whose `__file__` is given."""
        source = Path(module).with_suffix(".md").read_text(encoding="utf-8")
        words = [Words(part) for part in re.split(r"(?m)^# (?=\d+\.)", source)[1:]]
        self._words = {one.id: one for one in words}
        self._made: dict[str, Exercise] = {}

    def numbers(
        self, exercise: str, **draws: Options
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare an exercise by a function of its numbers.

        The function's defaults are the numbers that the chapter asks with, `draws` the others that
        can stand in their places: a sequence, or a function of a `random.Random`. It returns the
        kind with the right answer, a dict of the wrong answers under the names that stand before
        their sentences, and a dict of further names for the text; the last one or two can be left
        out. A wrong answer that is always the same number can stand in the file as that number.
        """

        def declare(compute: Callable[..., Any]) -> Callable[..., Any]:
            own = {p.name: p.default for p in inspect.signature(compute).parameters.values()}

            def made(numbers: Mapping[str, Any]) -> Exercise:
                result = compute(**numbers)
                parts = result if isinstance(result, tuple) else (result,)
                kind, wrong, names = (*parts, {}, {})[:3]
                return self._exercise(exercise, kind, wrong, {**numbers, **names})

            def others() -> tuple[Exercise, ...]:
                """Draw by fixed seeds, again where two answers coincide or numbers come back."""
                found = {first.statement: first}
                for attempt in range(_TRIES):
                    if len(found) > DRAWS:
                        return tuple(found.values())[1:]
                    with suppress(ValueError):
                        random = Random(f"{exercise}/{attempt}")
                        drawn = {
                            name: options(random) if callable(options) else random.choice(options)
                            for name, options in draws.items()
                        }
                        other = made(drawn)
                        found.setdefault(other.statement, other)
                raise ValueError(f"exercise {exercise}: only {len(found) - 1} draws differ")

            first = made(own)
            self._made[exercise] = replace(first, others=others if draws else None)
            return compute

        return declare

    def function(
        self,
        exercise: str,
        reference: Callable[..., Any],
        *,
        mechanisms: Mapping[str, Mechanism],
        wrong: Mapping[str, Callable[..., Any]],
        probe: tuple[Any, ...],
        inputs: Inputs | None = None,
        also: Sequence[Callable[..., Any]] = (),
    ) -> None:
        """Declare that a function is asked for, by one that is right.

        `mechanisms` are the calls that are tried first, under the names that stand before their
        sentences; so are the `wrong` functions. `probe` has the arguments of the call whose result
        can be typed on a page without Python, `inputs` draws more calls, and `also` has other
        functions that are right.
        """
        words = self._known(exercise)
        said = words.listed("Mechanisms", {})
        words.match("mechanism", said, mechanisms)
        parameters = inspect.signature(reference).parameters.values()
        listed = ", ".join(str(p.replace(annotation=p.empty)).replace(" ", "") for p in parameters)
        kind = Function(
            name=reference.__name__,
            stub=f"def {reference.__name__}({listed}):\n    ...",
            reference=reference,
            mechanisms=tuple(
                replace(call, name=name, say=said[name]) for name, call in mechanisms.items()
            ),
            probe=probe,
            inputs=inputs,
            instead=self._instead(words),
        )
        self._made[exercise] = self._exercise(exercise, kind, wrong, {}, also)

    def say(self, exercise: str, name: str, **numbers: Any) -> str:
        """Return a sentence of `## Says`, for a check or a trial, with its numbers."""
        words = self._known(exercise)
        said = dict(item.split(": ", 1) for item in _items(words.parts["Says"]))
        return words.fill(said[name], numbers)

    def exercises(self) -> tuple[Exercise, ...]:
        """Return every exercise, in the file's order."""
        return tuple(
            self._made[name] if name in self._made else self._exercise(name, None, {}, {})
            for name in self._words
        )

    def _known(self, exercise: str) -> Words:
        if exercise not in self._words:
            raise ValueError(
                f"exercise {exercise}: questions.py declares it, questions.md has no "
                f"“# {exercise} …”"
            )
        return self._words[exercise]

    def _exercise(
        self,
        exercise: str,
        kind: Kind | None,
        wrong: Mapping[str, Any],
        numbers: Mapping[str, Any],
        also: Sequence[Any] = (),
    ) -> Exercise:
        words = self._known(exercise)
        kind = kind or _kind(words)
        said = words.listed("Wrong", numbers)
        if isinstance(kind, Function):
            said = {name: x for name, x in said.items() if name not in words.listed("Options", {})}
        else:
            wrong = {**{x: _constant(kind, x) for x in said}, **wrong}
            wrong = {name: answer for name, answer in wrong.items() if answer is not None}
        words.match("wrong answer", said, wrong)
        texts = {head: words.fill(words.parts.get(head, ""), numbers) for head in _TEXTS}
        flowing = {head: _flowing(text) for head, text in texts.items()}
        return Exercise(
            id=exercise,
            title=words.title,
            difficulty=int(words.settings["difficulty"]),
            minutes=int(words.settings.get("minutes", 0)),
            statement=flowing[""],
            kind=kind,
            wrong=tuple(Wrong(answer, said[name]) for name, answer in wrong.items()),
            also=tuple(also),
            hints=tuple(_items(texts["Hints"])),
            solution=flowing["Solution"],
            right=flowing["Right"],
            learned=flowing["Learned"],
            passage=texts["Passage"],
        )

    def _instead(self, words: Words) -> Instead | None:
        """Return the choice that a page without Python asks in place of a function."""
        if "instead" not in words.settings:
            return None
        options, said = words.listed("Options", {}), words.listed("Wrong", {})
        wrong = tuple(Wrong(x, said[x]) for x in options if x in said)
        kind = Choice(options, words.settings["instead"])
        return Instead(_flowing(words.parts["Instead"]), kind, wrong)


def _kind(words: Words) -> Kind:
    """Return the kind of an exercise whose answer stands in the file."""
    settings = words.settings
    options, steps = words.listed("Options", {}), words.listed("Steps", {})
    right = settings.get("right", "")
    if steps:
        needs = tuple((*x.split(), why) for x, why in words.listed("Needs", {}).items())
        return Order(tuple(steps.items()), needs, "any order" in settings)  # type: ignore[arg-type]
    if options and "guess" in settings:
        return PredictChoice(options, settings["guess"])
    if options and right:
        return Choice(options, right)
    within: Values = {"rtol": read_number(settings["within"])} if "within" in settings else {}
    if "guess" in settings:
        near: Values = {"near": read_number(settings["near"])} if "near" in settings else {}
        return PredictNumber(read_number(settings["guess"]), **within, **near)
    if right:
        value = _numbers(right)
        return Array(value, **within) if isinstance(value, list) else Number(value, **within)
    raise ValueError(
        f"exercise {words.id}: questions.md has no “right:” or “guess:”, and questions.py "
        "computes no answer"
    )


def _constant(kind: Kind, name: str) -> Any:
    """Return the wrong answer that a name is itself; None if it only stands for one."""
    if isinstance(kind, Order):
        return tuple(name.split())
    if isinstance(kind, Choice):
        return name
    with suppress(ValueError):
        return _numbers(name)
    return None


def _numbers(text: str) -> float | list[float]:
    numbers = [read_number(part) for part in text.split(",")]
    return numbers if len(numbers) > 1 else numbers[0]


def _flowing(text: str) -> str:
    """Return each paragraph on one line, as a viewer that keeps line breaks needs it."""
    code = re.split(r"(```.*?```)", text, flags=re.S)
    return "".join(
        part if part.startswith("```") else re.sub(r"(?<=\S)\n(?=\S)", " ", part) for part in code
    )


def _items(text: str) -> list[str]:
    """Return the entries of a list, each on one line."""
    return [" ".join(item.split()) for item in re.split(r"(?m)^- ", text)[1:]]
