"""What a reader can turn: a slider over numbers, a choice among names, a switch.

Each has finitely many settings, so that all of them can be drawn beforehand.
"""

import itertools
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Control:
    """A control with its settings in order."""

    kind: str  #: "slider", "choice" or "switch"
    label: str  #: what stands beside it; empty means: the name under which it is passed
    values: tuple[Any, ...]  #: what the drawing function gets, one for each setting
    texts: tuple[str, ...]  #: what the reader sees and hears, one for each setting
    start: int  #: the setting at the beginning, as a position

    def named(self, name: str) -> "Control":
        """Return the control with a label, made from `name` if it had none."""
        return self if self.label else replace(self, label=name.replace("_", " "))


def slider(
    values: Numbers,
    *,
    start: float | None = None,
    label: str = "",
    format: str | Callable[[float], str] = "{:g}",
) -> Control:
    """Return a slider over at least two increasing numbers; it starts at the first, or at `start`.

    `format` says how a value is written: text such as ``"{:.0%}"``, or a function.

    Examples
    --------
    >>> slider([4, 64, 1024], start=64, label="dimension d").texts
    ('4', '64', '1024')
    """
    given = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    for value in given:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"slider: values must be real numbers, got {value!r}")
    if not all(math.isfinite(v) for v in given):
        raise ValueError(f"slider: values must be finite, got {list(given)}")
    if any(b <= a for a, b in itertools.pairwise(given)):
        raise ValueError(f"slider: values must increase, got {list(given)}")
    texts = tuple(format.format(v) if isinstance(format, str) else format(v) for v in given)
    return _control("slider", label, given, texts, start)


def choice(
    options: Sequence[str] | Mapping[str, Any], *, start: str | None = None, label: str = ""
) -> Control:
    """Return a choice among at least two names; it starts at the first, or at `start`.

    A mapping hands its values to the drawing function, a sequence the names themselves.

    Examples
    --------
    >>> choice({"normal": 1, "uniform": 2}, start="uniform").start
    1
    """
    texts = tuple(options)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"choice: options must be named with text, got {text!r}")
        if not text.strip():
            raise ValueError(f"choice: an option has the empty name {text!r}")
    made = _control("choice", label, texts, texts, start)
    return replace(made, values=tuple(options.values())) if isinstance(options, Mapping) else made


def switch(on: bool = False, *, label: str = "") -> Control:
    """Return a switch; the drawing function gets False or True.

    Examples
    --------
    >>> switch(True).texts
    ('off', 'on')
    """
    if not isinstance(on, (bool, np.bool_)):
        raise TypeError(f"switch: on must be True or False, got {on!r}")
    return _control("switch", label, (False, True), ("off", "on"), bool(on))


def _control(
    kind: str, label: str, values: tuple[Any, ...], texts: tuple[str, ...], start: object
) -> Control:
    if len(values) < 2:
        raise ValueError(f"{kind}: at least two settings are needed, got {list(texts)}")
    if len(set(texts)) < len(texts):
        raise ValueError(f"{kind}: two settings look alike in {list(texts)}")
    start = values[0] if start is None else start
    if start not in values:
        raise ValueError(f"{kind}: start {start!r} is none of {list(values)}")
    return Control(kind, label, values, texts, values.index(start))
