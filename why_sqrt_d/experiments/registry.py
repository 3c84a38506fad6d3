"""Finds the declared experiments: `EXPERIMENTS` in the module `experiment` of a chapter."""

from functools import cache

from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.rooms import chapter_modules


@cache
def all_experiments() -> dict[str, Experiment]:
    """Return every experiment by its name."""
    found: dict[str, Experiment] = {}
    for room in chapter_modules("experiment"):
        for experiment in room.EXPERIMENTS:
            if experiment.name in found:
                raise ValueError(f"experiment {experiment.name!r} is declared twice")
            found[experiment.name] = experiment
    return found
