"""Finds the declared exercises: the module `questions` of every chapter."""

import contextlib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from itertools import pairwise

from why_sqrt_d.rooms import chapter_modules

from .model import Exercise


class NoSuchExercise(LookupError):
    """No exercise has that id; the message says which there are."""


_extra: list[Exercise] = []


def _order(exercise: Exercise) -> tuple[tuple[int, str], ...]:
    """Sort 1.2 before 1.10, and numbered chapters before lettered ones."""
    parts = exercise.id.split(".")
    return tuple((int(p), "") if p.isdigit() else (10**6, p) for p in parts)


@cache
def _declared() -> tuple[Exercise, ...]:
    return tuple(e for room in chapter_modules("questions") for e in room.QUESTIONS.exercises())


def all_exercises() -> tuple[Exercise, ...]:
    """Return every exercise in the order of the book: 1.2 before 1.10."""
    ordered = tuple(sorted((*_declared(), *_extra), key=_order))
    for a, b in pairwise(ordered):
        if a.id == b.id:
            raise ValueError(f"exercise {a.id!r} is declared twice")
    return ordered


def chapter_exercises(chapter: str | int) -> tuple[Exercise, ...]:
    """Return the exercises of one chapter in order; none if there is no such chapter."""
    return tuple(e for e in all_exercises() if e.chapter == str(chapter))


def get(exercise_id: str) -> Exercise:
    """Return the exercise of that id."""
    for found in all_exercises():
        if found.id == exercise_id:
            return found
    names = [e.id for e in all_exercises()]
    near = get_close_matches(exercise_id, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    mine = [name for name in names if name.split(".")[0] == exercise_id.split(".")[0]]
    raise NoSuchExercise(
        f"There is no exercise “{exercise_id}”.{guess} There are: {', '.join(mine or names)}."
    )


@contextlib.contextmanager
def registered(exercises: Iterable[Exercise]) -> Iterator[None]:
    """Add exercises for the length of a `with` block; for tests."""
    before = [*_extra]
    _extra.extend(exercises)
    try:
        yield
    finally:
        _extra[:] = before
