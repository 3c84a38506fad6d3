"""Code as text: what a reader types on a page in place of a notebook's cell."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import attn_helpers as ah

_LONGEST = 20_000


class NotCode(ValueError):
    """A text from which no function comes; the message says why."""


@dataclass(frozen=True)
class Typed:
    """A function's text."""

    source: str

    def function(self, name: str) -> Callable[..., Any] | None:
        """Run the text and return its function of that name, or the last it defines.

        None if the text is empty.
        """
        if not isinstance(self.source, str) or len(self.source) > _LONGEST:
            raise NotCode(f"Code is asked for, as text of at most {_LONGEST} characters.")
        if not self.source.strip():
            return None
        names: dict[str, Any] = {"np": np, "ah": ah, "__name__": "answer"}
        try:
            exec(compile(self.source, "<answer>", "exec"), names)
        except SyntaxError as error:
            raise NotCode(f"Line {error.lineno}: {error.msg}.") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            inside = error.__traceback__ and error.__traceback__.tb_next
            line = inside.tb_lineno if inside else 1
            raise NotCode(f"Line {line} raised {type(error).__name__}: {error}.") from None
        mine = [x for key, x in names.items() if callable(x) and key not in ("np", "ah")]
        if not mine:
            raise NotCode(f"No function is defined: begin with def {name or 'answer'}(…):.")
        return names[name] if callable(names.get(name)) else mine[-1]
