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

__all__ = ["Control", "as_control", "choice", "slider", "switch"]

Numbers = Sequence[float] | NDArray[Any]
OFF_ON = (False, True)


@dataclass(frozen=True)
class Control:
    """A control with its settings in order.

    Attributes
    ----------
    kind : str
        ``"slider"``, ``"choice"`` or ``"switch"``.
    label : str
        What stands beside it; empty means: the name under which it is passed.
    values : tuple
        What the drawing function gets, one for each setting.
    texts : tuple of str
        What the reader sees and hears, one for each setting.
    start : int
        The setting at the beginning, as a position.
    """

    kind: str
    label: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    start: int

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
    """Return a slider over increasing numbers.

    Parameters
    ----------
    values : sequence of numbers
        At least two, increasing.
    start : number, optional
        One of `values`; the first if left out.
    label : str
        What stands beside it.
    format : str or callable
        How a value is written, for example ``"{:.0%}"``, or a function from the value to text.

    Returns
    -------
    Control

    Raises
    ------
    TypeError
        If `values` are not real numbers.
    ValueError
        If they do not increase, `start` is none of them, or two values look alike.

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
    first = start is None and len(given) > 0
    return _control("slider", label, given, texts, given[0] if first else start)


def choice(
    options: Sequence[str] | Mapping[str, Any], *, start: str | None = None, label: str = ""
) -> Control:
    """Return a choice among named options.

    Parameters
    ----------
    options : sequence of str, or mapping from str to anything
        At least two names. A mapping hands its values to the drawing function, a sequence the
        names themselves.
    start : str, optional
        One of the names; the first if left out.
    label : str
        What stands beside it.

    Returns
    -------
    Control

    Raises
    ------
    TypeError
        If a name is not text.
    ValueError
        If a name is empty or comes twice, or `start` is none of them.

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
    values = tuple(options.values()) if isinstance(options, Mapping) else texts
    made = _control("choice", label, tuple(range(len(texts))), texts, 0)
    if start is not None and start not in texts:
        raise ValueError(f"choice: start {start!r} is none of {list(texts)}")
    return replace(made, values=values, start=0 if start is None else texts.index(start))


def switch(on: bool = False, *, label: str = "") -> Control:
    """Return a switch; the drawing function gets False or True.

    Parameters
    ----------
    on : bool
        Its setting at the beginning.
    label : str
        What stands beside it.

    Returns
    -------
    Control

    Raises
    ------
    TypeError
        If `on` is no bool.

    Examples
    --------
    >>> switch(True).texts
    ('off', 'on')
    """
    if not isinstance(on, (bool, np.bool_)):
        raise TypeError(f"switch: on must be True or False, got {on!r}")
    return _control("switch", label, OFF_ON, ("off", "on"), bool(on))


def as_control(name: str, given: object) -> Control:
    """Return the control that `given` stands for, labelled.

    A bool is a switch, a mapping or a sequence of text a choice, a sequence of numbers a slider.
    """
    if isinstance(given, Control):
        return given.named(name)
    if isinstance(given, (bool, np.bool_)):
        return switch(bool(given)).named(name)
    if isinstance(given, Mapping):
        return choice(given).named(name)
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes)):
        texts = len(given) > 0 and all(isinstance(value, str) for value in given)
        made = choice(list(given)) if texts else slider(given)
        return made.named(name)
    raise TypeError(
        f"explore: {name} must be a sequence of numbers (slider), names (choice) or a bool "
        f"(switch), got {given!r}"
    )


def _control(
    kind: str, label: str, values: tuple[Any, ...], texts: tuple[str, ...], start: object
) -> Control:
    if len(values) < 2:
        raise ValueError(f"{kind}: at least two settings are needed, got {list(texts)}")
    if len(set(texts)) < len(texts):
        raise ValueError(f"{kind}: two settings look alike in {list(texts)}")
    if start not in values:
        raise ValueError(f"{kind}: start {start!r} is none of {list(values)}")
    return Control(kind, label, values, texts, values.index(start))
