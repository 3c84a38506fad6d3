"""Table 1 of source D, row by row, and what was measured for each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from why_sqrt_d.rows import Row, select

Settings = dict[str, Any]

# The paper's rows in its order: vocabulary, length, samples, β (None is d^-1/2), test accuracy.
PAPER: tuple[tuple[int, int, int, float | None, float], ...] = (
    (100, 20, 15_000, None, 0.015),
    (100, 20, 15_000, 5.0, 0.96),
    (100, 200, 19_300, None, 0.0123),
    (100, 200, 19_300, 0.16, 1.0),
    (10, 20, 8_000, None, 0.1856),
    (10, 20, 8_000, 6.55, 1.0),
    (1000, 20, 50_000, None, 0.1856),
    (1000, 20, 50_000, 5.0, 1.0),
    (1000, 20, 40_000, None, 0.1068),
    (1000, 20, 40_000, 5.0, 0.9979),
    (1000, 20, 35_000, None, 0.0552),
    (1000, 20, 35_000, 5.0, 0.9953),
    (1000, 20, 35_000, 6.0, 0.9977),
)
SEARCHED = {10: 6.55, 100: 5.0}  # the β that the paper found, by vocabulary
SUCCESS = 0.95  # a run with more has learned the task


def root_factor(task: Settings) -> float:
    """Return what the paper's β instead of d^-1/2 is on each of W_q and W_k: √(β √d)."""
    return round((SEARCHED[task["vocabulary"]] * task["length"] ** 0.5) ** 0.5, 6)


def table_rows() -> list[Settings]:
    """Return the settings of the table's thirteen rows."""
    names = ("vocabulary", "length", "samples", "scale")
    return [dict(zip(names, row[:4], strict=True)) for row in PAPER]


def accuracies(rows: Iterable[Row], **settings: object) -> list[float]:
    """Return the test accuracies of the stored runs with these settings."""
    return [row["test_accuracy"] for row in select(rows, **settings)]


def successes(seeds: Iterable[float]) -> int:
    """Return how many accuracies, between 0 and 1, are those of runs that learned the task.

    >>> successes([0.2, 0.95, 0.951, 1.0])
    2
    """
    return sum(value > SUCCESS for value in seeds)


@dataclass(frozen=True)
class TableRow:
    """One row of the paper's table with what was measured for it."""

    settings: Settings  #: vocabulary, length, samples and scale; a scale of None is d^-1/2
    stated: float  #: the paper's test accuracy
    accuracies: list[float]  #: one a stored seed

    @property
    def searched(self) -> bool:
        """Whether the row's scale is one that the paper searched."""
        return self.settings["scale"] is not None

    @property
    def lower(self) -> int:
        """How many of the runs end below the paper's number.

        If that is one more run of the same kind, each count from none to all is as likely.
        """
        return sum(value < self.stated for value in self.accuracies)

    @property
    def higher(self) -> float:
        """How many of the runs end above it, where those that end at it count one half."""
        values = self.accuracies
        return sum(value > self.stated for value in values) + 0.5 * values.count(self.stated)


def paper_rows(rows: Sequence[Row]) -> list[TableRow]:
    """Return the table's thirteen rows, in the paper's order, with the stored runs of each."""
    return [
        TableRow(settings, stated, accuracies(rows, **settings))
        for settings, (*_, stated) in zip(table_rows(), PAPER, strict=True)
    ]
