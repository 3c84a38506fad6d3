"""Exercises with other numbers: one declaration, a seeded draw of its numbers.

The draws are made in Python alone; the page gets them ready-made, so that it cannot disagree.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from .model import DRAWS, Exercise

_TRIES = 500


def drawn(
    make: Callable[..., Exercise],
    first: Mapping[str, Any],
    draw: Callable[[Random], Mapping[str, Any]],
) -> Exercise:
    r"""Declare an exercise by a function of its numbers.

    `make(**first)` is the exercise as the chapter asks it, `make(**draw(random))` another one.
    Numbers with which the declaration contradicts itself, because two answers coincide, are
    drawn again; so are those that were drawn before.

    Parameters
    ----------
    make : callable
        Returns the exercise that has these numbers.
    first : mapping
        The numbers of the chapter, by name.
    draw : callable
        Takes a `random.Random` and returns other numbers.

    Examples
    --------
    >>> from why_sqrt_d.exercises import Number, Wrong
    >>> def double(x):
    ...     return Exercise(
    ...         id="9.1", title="Twice", difficulty=1, statement=rf"How much is $2\cdot{x}$?",
    ...         kind=Number(2 * x), hints=("Add.", f"{x} + {x}"), solution="It is the sum.",
    ...         wrong=(Wrong(x, "That is one."), Wrong(x * x, "No square."), Wrong(0, "No.")),
    ...     )
    >>> drawn(double, {"x": 21}, lambda random: {"x": random.randint(3, 99)}).kind.value
    42
    """
    exercise = make(**first)

    @cache
    def every() -> tuple[Exercise, ...]:
        found: dict[str, Exercise] = {}
        for attempt in range(_TRIES):
            if len(found) == DRAWS:
                break
            try:
                other = make(**draw(Random(f"{exercise.id}/{attempt}")))
            except ValueError:  # two of its answers coincide
                continue
            if other.statement != exercise.statement:
                found.setdefault(other.statement, other)
        if len(found) < DRAWS:
            raise ValueError(f"exercise {exercise.id!r}: only {len(found)} draws differ")
        return tuple(found.values())

    return replace(exercise, again=lambda number: every()[number - 1])
