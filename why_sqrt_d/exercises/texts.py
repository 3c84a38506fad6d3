r"""The words of a chapter's exercises, written as Markdown; numbers and functions stay in Python.

`questions.md` beside a chapter's `questions.py`:

    # 7.1 Which root?
    A layer has width $d_{\text{model}} = «width»$ and $«heads»$ heads …
    ## Right
    One sentence.
    ## Learned
    Why that is right, with a [link](chapter.ipynb#place).
    ## Passage
    [Where the text](chapter.ipynb#place) settles it, where that does not stand just above.
    ## Wrong
    - width: That is √«width», the root of the model's width.
    ## Hints
    - How many components …
    - A head is …
    ## Solution
    Each head works in …

A choice has `## Options`, and an order `## Steps` and `## Needs`, lists as under `## Wrong`; their
kind is declared as a function of these lists. What stands before a sentence is then the answer: a
letter, or steps.

What stands between « and » is a name from `numbers`, with a format if it has one: «root:.3g».
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .kinds.chosen import Order
from .model import Exercise, Kind, Wrong

_SLOT = re.compile(r"«(\w+)(?::([^»]*))?»")
_LISTS = ("Options", "Steps", "Needs")
_SECTIONS = (
    "",
    *_LISTS,
    "Mechanisms",
    "Says",
    "Instead",
    "Right",
    "Learned",
    "Passage",
    "Wrong",
    "Hints",
    "Solution",
)


class Texts:
    """The words of the exercises of one chapter, by their ids."""

    def __init__(self, module: str) -> None:
        """Read the Markdown file beside a module, whose `__file__` is given."""
        source = Path(module).with_suffix(".md").read_text(encoding="utf-8")
        self._read: dict[str, tuple[str, dict[str, str]]] = {}
        for part in re.split(r"(?m)^# ", source)[1:]:
            head, _, body = part.partition("\n")
            name, _, title = head.partition(" ")
            heads = ["", *re.findall(r"(?m)^## (.+)$", body)]
            if odd := set(heads) - set(_SECTIONS):
                raise ValueError(f"exercise {name!r}: no such section: {odd}")
            bodies = [text.strip() for text in re.split(r"(?m)^## .+$", body)]
            self._read[name] = title, dict(zip(heads, bodies, strict=True))

    def exercise(
        self,
        name: str,
        *,
        difficulty: int,
        kind: Kind | Callable[[dict[str, dict[str, str]]], Kind],
        wrong: Mapping[str, Any] | None = None,
        forms: Sequence[Any] = (),
        minutes: int = 0,
        numbers: Mapping[str, Any] | None = None,
    ) -> Exercise:
        """Declare an exercise: its words from the file, the rest as for `Exercise`.

        `wrong` has the known wrong answers under the names that stand before their sentences;
        left out, the names are the answers.
        """
        title, parts = self._read[name]
        filled = {head: _filled(name, text, numbers or {}) for head, text in parts.items()}
        if not isinstance(kind, Kind):
            kind = kind({head: _named(filled[head]) for head in _LISTS if head in filled})
        said = _named(filled["Wrong"])
        if wrong is None:
            wrong = {x: tuple(x.split()) if isinstance(kind, Order) else x for x in said}
        if set(said) != set(wrong):
            odd = sorted(set(said) ^ set(wrong))
            raise ValueError(f"exercise {name!r}: sentences and wrong answers differ in {odd}")
        return Exercise(
            id=name,
            title=title,
            difficulty=difficulty,
            statement=_flowing(filled[""]),
            kind=kind,
            wrong=tuple(Wrong(answer, said[key]) for key, answer in wrong.items()),
            forms=tuple(forms),
            minutes=minutes,
            hints=tuple(_items(filled["Hints"])),
            solution=_flowing(filled["Solution"]),
            right=_flowing(filled.get("Right", "")),
            learned=_flowing(filled.get("Learned", "")),
            passage=filled.get("Passage", ""),
        )


def in_order(words: dict[str, dict[str, str]], any_order: bool = False) -> Order:
    """Make the kind of an exercise whose steps and needs stand in the file."""
    needs = [(*pair.split(), why) for pair, why in words["Needs"].items()]
    return Order(tuple(words["Steps"].items()), tuple((x, y, w) for x, y, w in needs), any_order)


def _flowing(text: str) -> str:
    """Return each paragraph on one line, as a viewer that keeps line breaks needs it."""
    if "```" in text:
        return text
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _items(text: str) -> list[str]:
    """Return the entries of a list, each on one line."""
    return [" ".join(item.split()) for item in re.split(r"(?m)^- ", text)[1:]]


def _named(text: str) -> dict[str, str]:
    """Return the entries of a list by the names that they begin with."""
    return dict(item.split(": ", 1) for item in _items(text))


def _filled(name: str, text: str, numbers: Mapping[str, Any]) -> str:
    def value(slot: re.Match[str]) -> str:
        if slot[1] not in numbers:
            raise ValueError(f"exercise {name!r}: {slot[0]} is not among {sorted(numbers)}")
        return format(numbers[slot[1]], slot[2] or "")

    return _SLOT.sub(value, text)
