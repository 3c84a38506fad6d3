r"""The words of a chapter's exercises, written as Markdown; numbers and functions stay in Python.

`questions.md` beside a chapter's `questions.py`:

    # 7.1 Which root?
    A layer has width $d_{\text{model}} = «width»$ and $«heads»$ heads …
    ## Right
    One sentence.
    ## Learned
    Why that is right, with a [link](chapter.ipynb#place).
    ## Wrong
    - width: That is √«width», the root of the model's width.
    ## Hints
    - How many components …
    - A head is …
    ## Solution
    Each head works in …

What stands between « and » is a name from `numbers`, with a format if it has one: «root:.3g».
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .model import Exercise, Kind, Wrong

_SLOT = re.compile(r"«(\w+)(?::([^»]*))?»")
_SECTIONS = ("", "Right", "Learned", "Wrong", "Hints", "Solution")


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
        kind: Kind,
        wrong: Mapping[str, Any],
        forms: Sequence[Any] = (),
        minutes: int = 3,
        numbers: Mapping[str, Any] | None = None,
    ) -> Exercise:
        """Declare an exercise: its words from the file, the rest as for `Exercise`.

        `wrong` has the known wrong answers under the names that stand before their sentences.
        """
        title, parts = self._read[name]
        filled = {head: _filled(name, text, numbers or {}) for head, text in parts.items()}
        said = dict(item.split(": ", 1) for item in _items(filled["Wrong"]))
        if set(said) != set(wrong):
            odd = sorted(set(said) ^ set(wrong))
            raise ValueError(f"exercise {name!r}: sentences and wrong answers differ in {odd}")
        return Exercise(
            id=name,
            title=title,
            difficulty=difficulty,
            statement=filled[""],
            kind=kind,
            wrong=tuple(Wrong(answer, said[key]) for key, answer in wrong.items()),
            forms=tuple(forms),
            minutes=minutes,
            hints=tuple(_items(filled["Hints"])),
            solution=filled["Solution"],
            right=" ".join(filled.get("Right", "").split()),
            learned=" ".join(filled.get("Learned", "").split()),
        )


def _items(text: str) -> list[str]:
    """Return the entries of a list, each on one line."""
    return [" ".join(item.split()) for item in re.split(r"(?m)^- ", text)[1:]]


def _filled(name: str, text: str, numbers: Mapping[str, Any]) -> str:
    def value(slot: re.Match[str]) -> str:
        if slot[1] not in numbers:
            raise ValueError(f"exercise {name!r}: {slot[0]} is not among {sorted(numbers)}")
        return format(numbers[slot[1]], slot[2] or "")

    return _SLOT.sub(value, text)
