"""Finds the declared exercises: the module `questions` of every chapter."""

import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from why_sqrt_d.chapters import chapter_modules

from .model import Exercise

ASKS = re.compile(r'\bexercise\(\\?"([\d.]+)\\?"\)')  # in a cell, or in a notebook's file


@cache
def all_exercises() -> tuple[Exercise, ...]:
    """Return every exercise in the order of the book."""
    return tuple(e for room in chapter_modules("questions") for e in room.QUESTIONS.exercises())


def chapter_exercises(chapter: str | int) -> tuple[Exercise, ...]:
    """Return the exercises of one chapter in order; none if there is no such chapter."""
    return tuple(e for e in all_exercises() if e.chapter == str(chapter))


def get(exercise_id: str) -> Exercise:
    """Return the exercise of that id."""
    known = {exercise.id: exercise for exercise in all_exercises()}
    if exercise_id in known:
        return known[exercise_id]
    names = list(known)
    near = get_close_matches(exercise_id, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    mine = [name for name in names if name.split(".")[0] == exercise_id.split(".")[0]]
    raise LookupError(
        f"There is no exercise “{exercise_id}”.{guess} There are: {', '.join(mine or names)}."
    )


def asked_in(notebook: Path) -> list[str]:
    """Return the ids of the exercises that a notebook asks, in its order."""
    return ASKS.findall(notebook.read_text(encoding="utf-8"))


@cache
def asked_on(book: Path) -> dict[str, str]:
    """Return the name of the page on which each exercise is asked."""
    return {name: path.stem for path in book.glob("*.ipynb") for name in asked_in(path)}
