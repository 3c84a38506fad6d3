"""One mechanism of a function under test, and what a function did when it was called."""

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

import numpy as np

from ..messages import four, one_line, shape_text
from .checks import Check


@dataclass(frozen=True)
class Seed:
    """Stands among a mechanism's arguments for a generator, fresh in every call."""

    value: int

    def __repr__(self) -> str:
        return f"np.random.default_rng({self.value})"


def _fresh(argument: Any) -> Any:
    """Return a copy of an argument, and a generator in place of its seed."""
    if isinstance(argument, Seed):
        return np.random.default_rng(argument.value)
    return copy.deepcopy(argument)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """One thing a function has to get right, with the small input that shows it.

    ``check(got, *args, **kwargs)`` returns None or what is wrong, such as "should sum to 1".
    Without it the result is compared with the reference, within `rtol` and `atol`.
    """

    name: str
    args: tuple[Any, ...]
    say: str  #: the sentence that names the likely mistake
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    check: Check | None = None
    rtol: float = 1e-6
    atol: float = 1e-9

    def arguments(self) -> tuple[Any, ...]:
        """Return fresh copies of the arguments."""
        return tuple(map(_fresh, self.args))

    def call_text(self, name: str) -> str:
        """Write the call of function `name` as Python text."""
        return call_text(name, self.args, self.kwargs)


def call_text(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Write a call as Python text that can be run as it stands."""
    parts = [python_text(a) for a in args]
    parts += [f"{key}={python_text(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def python_text(value: Any) -> str:
    """Write a small argument as Python text."""
    if isinstance(value, np.ndarray):
        if value.size > 40:
            return f"<array of shape {shape_text(value.shape)}>"
        kept = value.dtype in (np.float64, np.int64, np.bool_)
        dtype = "" if kept else f", dtype=np.{value.dtype.name}"
        return f"np.array({python_text(value.tolist())}{dtype})"
    if isinstance(value, list):
        return "[" + ", ".join(map(python_text, value)) + "]"
    if isinstance(value, float) and not np.isfinite(value):
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(str(float(value)), "np.nan")
    return repr(value.item() if isinstance(value, np.generic) else value)


def numbers_text(value: np.ndarray) -> str:
    """Write a result with four digits an entry."""
    if value.ndim == 0:
        return four(float(value)) if value.dtype.kind != "c" else "a complex number"
    return "[" + ", ".join(numbers_text(np.asarray(row)) for row in value) + "]"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a call did: its result as an array, or the line that says why there is none."""

    result: np.ndarray = field(default_factory=lambda: np.empty(0))
    trouble: str = ""
    mutated: bool = False

    def equals(self, other: "Outcome") -> bool:
        """Tell whether two functions did the same, up to rounding."""
        if self.trouble or other.trouble:
            return self.trouble == other.trouble
        same = (self.result.shape, self.mutated) == (other.result.shape, other.mutated)
        return same and np.allclose(
            self.result, other.result, rtol=1e-9, atol=1e-12, equal_nan=True
        )


def run(function: Any, mechanism: Mechanism) -> Outcome:
    """Call `function` on the mechanism's arguments and read what comes back."""
    args, kwargs = mechanism.arguments(), copy.deepcopy(dict(mechanism.kwargs))
    try:
        if problem := _signature_problem(function, args, kwargs):
            return Outcome(trouble=problem)
        with np.errstate(all="ignore"):
            result = function(*args, **kwargs)
        mutated = not _same_inputs((args, kwargs), (mechanism.arguments(), dict(mechanism.kwargs)))
        return _read(result, mutated)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(trouble=_raised(error))


def _signature_problem(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return ""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"is the call made, and your function does not take it: {error}."
    return ""


def _raised(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "never comes back: your function calls itself without end (RecursionError)."
    if isinstance(error, SystemExit):
        return "ended Python itself: leave out exit() and sys.exit()."
    if isinstance(error, MemoryError):
        return "ran out of memory: is an array far larger than it should be?"
    text = one_line(str(error), 200).rstrip(".")
    return f"raised {type(error).__name__}{': ' if text else ''}{text}."


def _same_inputs(after: Any, before: Any) -> bool:
    """Compare arguments with untouched copies of them."""
    if isinstance(before, np.ndarray):
        return (
            after.shape == before.shape
            and after.dtype == before.dtype
            and np.array_equal(after, before, equal_nan=before.dtype.kind in "fc")
        )
    if isinstance(before, (list, tuple)):
        return len(after) == len(before) and all(map(_same_inputs, after, before))
    if isinstance(before, dict):
        return list(after) == list(before) and all(
            _same_inputs(after[k], before[k]) for k in before
        )
    if isinstance(before, np.random.Generator):
        return True  # it is there to be drawn from
    return after is before or type(after) is not type(before) or bool(after == before)


def _read(result: Any, mutated: bool) -> Outcome:
    """Turn a returned object into an array of numbers."""
    if result is None:
        return Outcome(trouble="returned None: did you forget return?")
    if result is ...:
        return Outcome(trouble="returned ...: the body is still to be written.")
    if isinstance(result, GeneratorType | AsyncGeneratorType | CoroutineType):
        if isinstance(result, CoroutineType):
            result.close()  # or Python warns that it was never awaited
        return Outcome(trouble="returned a generator: use return, not yield or async.")
    if callable(result):
        return Outcome(trouble="returned a function, not numbers: was it meant to be called?")
    what = f"returned {type(result).__name__}, which is not an array of numbers."
    try:
        array = np.asarray(result)
        if array.dtype.kind == "O":
            array = array.astype(float)
    except (ValueError, TypeError):
        return Outcome(trouble=what)
    if array.dtype.kind not in "biufc":
        return Outcome(trouble=what)
    return Outcome(array, mutated=mutated)
