"""Finds the declared exercises: the module `questions` of every chapter."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

from why_sqrt_d.rooms import chapter_modules

from .model import Exercise

_extra: list[Exercise] = []


def _order(exercise: Exercise) -> tuple[tuple[int, str], ...]:
    """Sort 1.2 before 1.10, and numbered chapters before lettered ones."""
    parts = exercise.id.split(".")
    return tuple((int(p), "") if p.isdigit() else (10**6, p) for p in parts)


@cache
def _declared() -> tuple[Exercise, ...]:
    found: list[Exercise] = []
    for room in chapter_modules("questions"):
        found += room.EXERCISES
    return _unique(found)


def _unique(exercises: Iterable[Exercise]) -> tuple[Exercise, ...]:
    ordered = tuple(sorted(exercises, key=_order))
    for a, b in pairwise(ordered):
        if a.id == b.id:
            raise ValueError(f"exercise {a.id!r} is declared twice")
    return ordered


def all_exercises() -> tuple[Exercise, ...]:
    """Return every exercise in the order of the book.

    Returns
    -------
    tuple of Exercise
        1.2 before 1.10.

    Raises
    ------
    ValueError
        If two have the same id.

    Examples
    --------
    >>> all_exercises()[0].id
    '1.1'
    """
    return _unique((*_declared(), *_extra))


def chapter_exercises(chapter: str | int) -> tuple[Exercise, ...]:
    """Return the exercises of one chapter in order.

    Parameters
    ----------
    chapter : str or int
        Its number.

    Returns
    -------
    tuple of Exercise
        Empty if there is no such chapter.

    Examples
    --------
    >>> [found.id for found in chapter_exercises(7)][:2]
    ['7.1', '7.2']
    """
    return tuple(e for e in all_exercises() if e.chapter == str(chapter))


def get(exercise_id: str) -> Exercise:
    """Return one exercise.

    Parameters
    ----------
    exercise_id : str
        For example ``"1.3"``.

    Returns
    -------
    Exercise
        The one of that id.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> get("2.1").chapter
    '2'
    """
    for found in all_exercises():
        if found.id == exercise_id:
            return found
    raise KeyError(exercise_id)


@contextlib.contextmanager
def registered(exercises: Iterable[Exercise]) -> Iterator[None]:
    """Add exercises for the length of a `with` block; for tests.

    Parameters
    ----------
    exercises : iterable of Exercise
        What to add.

    Returns
    -------
    context manager
        When the block ends, the exercises are gone.

    Raises
    ------
    ValueError
        If an id is taken.

    Examples
    --------
    >>> from dataclasses import replace
    >>> with registered([replace(get("1.1"), id="1.99")]):
    ...     chapter_exercises(1)[-1].id
    '1.99'
    """
    added = list(exercises)
    _extra.extend(added)
    try:
        all_exercises()
        yield
    finally:
        for one in added:
            _extra.remove(one)
