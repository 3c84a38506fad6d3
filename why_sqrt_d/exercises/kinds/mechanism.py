"""One call of a function under test, and what the function did when it was called."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..messages import four, one_line
from ..time_limit import Stopped

Check = Callable[..., str | None]  #: takes a result and the call's arguments
RANDOM = "random inputs"
LARGE = 10**6  # entries of a result that are too many to be looked at


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
    return argument.copy() if isinstance(argument, np.ndarray) else argument


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a call did: its result as an array, or the line that says why there is none."""

    result: np.ndarray = field(default_factory=lambda: np.empty(0))
    trouble: str = ""
    changed: tuple[int, ...] = ()  #: which arguments it changed
    foreign: bool = False  #: whether another library's array came back, such as JAX's

    @property
    def finite(self) -> bool:
        """Whether there is a result without nan and infinities; a huge one is not looked at."""
        if self.trouble:
            return False
        return self.result.size > LARGE or bool(np.isfinite(self.result).all())

    def equals(self, other: "Outcome") -> bool:
        """Tell whether two functions did the same, up to rounding."""
        if self.trouble or other.trouble:
            return self.trouble == other.trouble
        a, b, rtol = self.result, other.result, 1e-4 if self.foreign or other.foreign else 1e-9
        near = partial(np.allclose, rtol=rtol, atol=rtol * 1e-3, equal_nan=True)
        if a.shape != b.shape or (a.size > 1000 and not near(a.flat[:64], b.flat[:64])):
            return False  # of large results, most that differ do so at their beginning
        return near(a, b)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """One thing a function has to get right, with the small input that shows it.

    ``check(got, *args, **kwargs)`` returns None or what is wrong, such as "should sum to 1".
    Without it the result is compared with the reference, within `rtol` and `atol`.
    """

    name: str  #: under which a failure is listed
    args: tuple[Any, ...]
    say: str  #: what this call is about, or the step to take; of a random one, what is special
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    check: Check | None = None
    rtol: float = 1e-6
    atol: float = 1e-9
    overflow: bool = False  #: whether `say` holds only if a result is not finite
    expected: Outcome = Outcome()  #: what the reference does

    def arguments(self) -> tuple[Any, ...]:
        """Return fresh copies of the arguments."""
        return tuple(map(_fresh, self.args))

    def call_text(self, name: str) -> str:
        """Write the call of function `name` as Python text."""
        return call_text(name, self.args, self.kwargs)


def arrays(args: Sequence[Any]) -> tuple[Any, ...]:
    """Return arguments with an array in place of each list."""
    return tuple(np.array(x) if isinstance(x, list) else x for x in args)


def call(
    *args: Any,
    check: Check | None = None,
    rtol: float = 1e-6,
    overflow: bool = False,
    **kwargs: Any,
) -> Mechanism:
    """Return a call with these arguments; its name and its sentence are given to it later."""
    return Mechanism("", arrays(args), "", kwargs, check, rtol, overflow=overflow)


def case(about: str, *args: Any, check: Check | None = None, **kwargs: Any) -> Mechanism:
    """Return one input of a generator of inputs; `about` says what is special about it.

    It stands where inputs that fail are listed: "a mask of its own for each row".
    """
    # So near that numbers cast to float32 are refused.
    return Mechanism(RANDOM, arrays(args), about, kwargs, check, rtol=1e-8, atol=1e-11)


def shape_only(shape: tuple[int, ...]) -> Check:
    """Make a check of the result's shape."""
    return lambda got, *args, **kwargs: None if got.shape == shape else shapes(shape, got.shape)


one_number = shape_only(())


def shapes(ours: tuple[int, ...], theirs: tuple[int, ...]) -> str:
    """Say that a result has another shape than it should have."""
    if not ours:
        return f"should give one number; yours has shape {theirs}."
    yours = f"has shape {theirs}" if theirs else "is a single number"
    return f"should have shape {ours}; yours {yours}."


def sums_to_one(got: np.ndarray, *args: Any, **kwargs: Any) -> str | None:
    """Check that the result sums to 1 along its last axis."""
    if got.ndim == 0:
        return "should have rows; yours gives a single number."
    sums = got.sum(axis=-1).reshape(-1)
    bad = sums[~(np.abs(sums - 1) <= 1e-6)]
    if not bad.size:
        return None
    total = float(bad[0])
    yours = f"sums to {four(total)}" if four(total) != "1" else f"is off by {four(total - 1)}"
    return f"should sum to 1 over each row; yours {yours}."


def call_text(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Write a call as Python text that can be run as it stands, unless it would be too long."""
    for largest in (40, 12, 4):
        parts = [python_text(a, largest) for a in args]
        parts += [f"{key}={python_text(value, largest)}" for key, value in kwargs.items()]
        if sum(map(len, parts)) < 160:
            break
    return f"{name}({', '.join(parts)})"


def python_text(value: Any, largest: int = 40) -> str:
    """Write an argument as Python text, an array of more than `largest` entries as its shape."""
    if isinstance(value, np.ndarray):
        if value.size > largest:
            return f"<array of shape {value.shape}>"
        kept = value.dtype in (np.float64, np.int64, np.bool_)
        dtype = "" if kept else f", dtype=np.{value.dtype.name}"
        return f"np.array({python_text(value.tolist())}{dtype})"
    if isinstance(value, list):  # of an array
        return "[" + ", ".join(map(python_text, value)) + "]"
    if isinstance(value, float) and not np.isfinite(value):
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(str(float(value)), "np.nan")
    return repr(value.item() if isinstance(value, np.generic) else value)


def numbers_text(value: np.ndarray) -> str:
    """Write a result with four digits an entry."""
    if value.dtype.kind == "c":
        return "complex numbers"
    way: Any = {"float_kind": four}
    shown = np.array2string(value.astype(float), 10**6, separator=", ", formatter=way)
    return " ".join(shown.split())


def run(function: Any, mechanism: Mechanism) -> Outcome:
    """Call `function` on the mechanism's arguments and read what comes back."""
    args, kwargs = mechanism.arguments(), mechanism.kwargs
    try:
        with np.errstate(all="ignore"):
            result = function(*args, **kwargs)
        pairs = enumerate(zip(args, mechanism.args, strict=True))
        changed = tuple(i for i, pair in pairs if not _untouched(*pair))
        read = _read(result, changed)
        states = [x.bit_generator.state for x in args if isinstance(x, np.random.Generator)]
        fresh = [_fresh(x).bit_generator.state for x in mechanism.args if isinstance(x, Seed)]
        idle = "draws nothing from rng: use the generator that it is given."
        return Outcome(trouble=idle) if states and states == fresh and not read.trouble else read
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:
        return Outcome(trouble=_raised(error))


def _raised(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "never comes back: your function calls itself without end (RecursionError)."
    if isinstance(error, SystemExit):
        return "ended Python itself: leave out exit() and sys.exit()."
    text = ""
    with suppress(Exception):  # of a learner's own __str__
        text = one_line(str(error), 200).rstrip(".")
    return f"raised {type(error).__name__}{': ' if text else ''}{text}."


def _untouched(after: Any, before: Any) -> bool:
    """Tell whether a call left an array as it was, to the bit."""
    if not isinstance(before, np.ndarray):
        return True
    same = after.shape == before.shape and after.dtype == before.dtype
    return bool(same) and after.tobytes() == before.tobytes()


def _read(result: Any, changed: tuple[int, ...]) -> Outcome:
    """Turn a returned object into an array of numbers."""
    if result is None:
        return Outcome(trouble="returned None: did you forget return?")
    if callable(result):
        return Outcome(trouble="returned a function, not numbers: was it meant to be called?")
    what = f"returned {type(result).__name__}, which is not an array of numbers."
    own = isinstance(result, np.ndarray | np.generic | int | float | complex | list | tuple)
    try:
        if not own and hasattr(result, "detach"):
            result = result.detach().cpu()  # PyTorch's gradient is not asked for
        array = np.asarray(result)
        if array.dtype.kind == "O":
            array = array.astype(float)
    except (ValueError, TypeError):
        return Outcome(trouble=what)
    if array.dtype.kind not in "biufc":
        return Outcome(trouble=what)
    return Outcome(array, changed=changed, foreign=not own)
