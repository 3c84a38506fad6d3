"""Code as text: what a reader types on a page in place of a notebook's cell."""

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

import attn_helpers as ah

from .kinds.tried_number import TriedNumber
from .model import Kind

_LONGEST = 20_000


class NotCode(ValueError):
    """A text from which no answer comes; the message says why."""


@dataclass(frozen=True)
class Typed:
    """The text that gives the answer."""

    source: str

    def answer(self, kind: Kind) -> Any:
        """Run the text and return what is asked for; None if the text is empty.

        Of an experiment that is `answer`, and `trial` is there to try values; else the function
        of the name that is asked for, or the last that the text defines.
        """
        trial = {"trial": kind.trial} if isinstance(kind, TriedNumber) else {}
        names = self._run(trial)
        if names is None:
            return None
        if trial:
            if "answer" not in names:
                raise NotCode("Put the value that is asked for into answer.")
            return names["answer"]
        name = getattr(kind, "name", "answer")
        mine = [x for key, x in names.items() if callable(x) and key not in ("np", "ah")]
        if not mine:
            raise NotCode(f"No function is defined: begin with def {name}(…):.")
        return names[name] if callable(names.get(name)) else mine[-1]

    def _run(self, given: dict[str, Any]) -> dict[str, Any] | None:
        """Return the names that the text leaves behind; None if it is empty."""
        if not isinstance(self.source, str) or len(self.source) > _LONGEST:
            raise NotCode(f"Code is asked for, as text of at most {_LONGEST} characters.")
        return run_text(self.source, given) if self.source.strip() else None


def run_text(source: str, given: dict[str, Any], prints: bool = False) -> dict[str, Any]:
    """Run the text, and return the names that it leaves behind.

    `np` and `ah` are there, and what is given. With `prints` the text's last line is printed if
    it has a value, as a notebook shows it.
    """
    names = {"np": np, "ah": ah, "__name__": "answer"} | given
    try:
        tree = ast.parse(source)
        if prints and tree.body and isinstance(last := tree.body[-1], ast.Expr):
            shown = ast.copy_location(ast.Name("__shown__", ast.Load()), last)
            last.value = ast.copy_location(ast.Call(shown, [last.value], []), last)
            names["__shown__"] = lambda value: None if value is None else print(repr(value))
        exec(compile(tree, "<answer>", "exec"), names)
    except SyntaxError as error:
        raise NotCode(f"Line {error.lineno}: {error.msg}.") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        inside = error.__traceback__ and error.__traceback__.tb_next
        line = inside.tb_lineno if inside else 1
        raise NotCode(f"Line {line} raised {type(error).__name__}: {error}.") from None
    return names
