"""What an experiment is: a function, the settings that are fixed, and rows of those that vary."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from why_sqrt_d.digits import short

Settings = dict[str, Any]

#: The modules of `research` that declare experiments, in the order of the chapters.
DECLARING = (
    "ch3.saturation",
    "ch4.gradients",
    "ch5.one_head",
    "ch5.language_runs",
    "ch5.start_and_speed",
    "ch6.lengths",
    "ch7.reverse_task",
    "ch8.scaled_stories",
)


@dataclass(frozen=True)
class Experiment:
    """One experiment: `run(**fixed, **row, seed=seed)` for every row and each of its seeds.

    `run` is a module's top-level function that returns a dict that JSON can hold; the same
    settings must give the same results.
    """

    name: str  #: the command's argument; results go to `<name>.jsonl`
    purpose: str  #: one line for the list of experiments
    run: Callable[..., Mapping[str, Any]]
    rows: Sequence[Settings]  #: the settings that vary, without the seed, under the same names
    seeds: int  #: how many a row gets when the command does not say
    #: Settings that every row shares. Rows made with other values are never mixed with these.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    #: A setting's duration in any unit, so that the remaining time is estimated well.
    cost: Callable[[Settings], float] = lambda settings: 1.0
    #: From a row and a number of seeds to how many of them the row gets; all by default.
    seeds_of: Callable[[Settings, int], int] = lambda row, seeds: seeds
    #: How far results agree when another processor computes them, as a share of each. None for a
    #: training: rounding grows in it, so its end is that of one processor, and what is compared
    #: are its first losses, under the name "early".
    agreement: float | None = 1e-4

    def settings(
        self, seeds: int | None = None, rows: Sequence[int] | None = None
    ) -> list[Settings]:
        """Return what to run, seed by seed: of the given rows, counted from 1, or of all."""
        for number in rows or ():
            if not 1 <= number <= len(self.rows):
                raise ValueError(f"{self.name} has rows 1 to {len(self.rows)}, not {number}")
        return [
            {**row, "seed": seed}
            for number, row in enumerate(self.rows, 1)
            if rows is None or number in rows
            for seed in range(self.seeds_of(row, self.seeds if seeds is None else seeds))
        ]


EARLY = (1, 2, 5, 10)  # the steps whose losses are stored


def early(losses: Sequence[float] | NDArray[np.floating]) -> list[float]:
    """Return a training's first losses, which every processor computes alike, at the EARLY steps.

    Of a shorter training those at the steps that were made.
    """
    return short(losses[step - 1] for step in EARLY if step <= len(losses))


@cache
def all_experiments() -> dict[str, Experiment]:
    """Return all declared experiments by their names."""
    declared: dict[str, Experiment] = {}
    for module in DECLARING:
        for experiment in import_module(f"research.{module}").EXPERIMENTS:
            if experiment.name in declared:
                raise ValueError(f"experiment {experiment.name!r} is declared twice")
            declared[experiment.name] = experiment
    return declared
