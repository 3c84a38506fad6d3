"""What an experiment is: a function, the settings that are fixed, and those that vary."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Settings = dict[str, Any]


def _equal_cost(settings: Settings) -> float:
    return 1.0


@dataclass(frozen=True)
class Experiment:
    """One experiment: `run(**fixed, **varied)` for every setting of `grid(seeds)`.

    Attributes
    ----------
    name : str
        The command's argument; results go to `<name>.jsonl`.
    purpose : str
        One line for the list of experiments.
    run : callable
        A module's top-level function of keyword arguments that returns a dict of numbers, strings
        or lists of them. The same settings must give the same results.
    grid : callable
        From a number of seeds to the settings that vary, each a dict with an integer "seed".
    seeds : int
        How many seeds when the command does not say.
    fixed : mapping
        Settings that every row shares. Rows made with other values are never mixed with these.
    cost : callable
        A setting's duration in any unit, so that the remaining time is estimated well.
    """

    name: str
    purpose: str
    run: Callable[..., Mapping[str, Any]]
    grid: Callable[[int], Sequence[Settings]]
    seeds: int
    fixed: Mapping[str, Any] = field(default_factory=dict)
    cost: Callable[[Settings], float] = _equal_cost

    def rows(self) -> list[Settings]:
        """Return the settings that vary, without seeds, in the order of the grid."""
        found: list[Settings] = []
        for settings in self.grid(1):
            row = without_seed(settings)
            if row not in found:
                found.append(row)
        return found

    def settings(
        self, seeds: int | None = None, rows: Sequence[int] | None = None
    ) -> list[Settings]:
        """Return the settings to run: of the given rows, counted from 1, or of all."""
        wanted = list(self._chosen(rows))
        grid = self.grid(self.seeds if seeds is None else seeds)
        return [settings for settings in grid if without_seed(settings) in wanted]

    def _chosen(self, rows: Sequence[int] | None) -> Iterator[Settings]:
        every = self.rows()
        for number in range(1, len(every) + 1) if rows is None else rows:
            if not 1 <= number <= len(every):
                raise ValueError(f"{self.name} has rows 1 to {len(every)}, not {number}")
            yield every[number - 1]


def without_seed(settings: Settings) -> Settings:
    """Return the settings but for the seed."""
    return {name: value for name, value in settings.items() if name != "seed"}
