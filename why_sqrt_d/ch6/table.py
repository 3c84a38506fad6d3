"""Table 1 of source D, row by row: the searched β against d^-1/2."""

from collections.abc import Sequence
from dataclasses import dataclass

from why_sqrt_d.ch6.runs import reverse_run, training_cost
from why_sqrt_d.experiments.definition import Experiment, Settings
from why_sqrt_d.experiments.store import Row
from why_sqrt_d.experiments.summary import Summary, summarise

# (vocabulary, length, samples): the scales that the paper compares; None is d^-1/2.
ROWS: dict[tuple[int, int, int], tuple[float | None, ...]] = {
    (100, 20, 15_000): (None, 5.0),
    (100, 200, 19_300): (None, 0.16),
    (10, 20, 8_000): (None, 6.55),
    (1000, 20, 50_000): (None, 5.0),
    (1000, 20, 40_000): (None, 5.0),
    (1000, 20, 35_000): (None, 5.0, 6.0),
}
FIXED = {"epochs": 10, "batch_size": 128, "warmup": 50, "max_norm": 5.0, "test_samples": 10_000}


def table_rows() -> list[Settings]:
    """Return the settings of the table's thirteen rows."""
    return [
        {"vocabulary": vocabulary, "length": length, "samples": samples, "scale": scale}
        for (vocabulary, length, samples), scales in ROWS.items()
        for scale in scales
    ]


def seeds_of(row: Settings, seeds: int) -> range:
    """Return the seeds of a row: long strings, whose runs are long too, get three of ten."""
    return range(seeds if row["length"] < 200 else max(1, 3 * seeds // 10))


def grid(seeds: int) -> list[Settings]:
    """Return every row with its seeds."""
    return [{**row, "seed": seed} for row in table_rows() for seed in seeds_of(row, seeds)]


EXPERIMENTS = (
    Experiment(
        name="table1",
        purpose="Table 1 of source D at the paper's apparent settings.",
        run=reverse_run,
        grid=grid,
        seeds=10,
        fixed={**FIXED, "learning_rate": 5e-4},
        cost=training_cost,
    ),
)


# The test accuracies that the paper prints, in the order of `table_rows`.
STATED = (
    0.015,
    0.96,
    0.0123,
    1.0,
    0.1856,
    1.0,
    0.1856,
    1.0,
    0.1068,
    0.9979,
    0.0552,
    0.9953,
    0.9977,
)


@dataclass(frozen=True)
class TableRow:
    """One row of the paper's table with what was measured for it.

    Attributes
    ----------
    settings : dict
        vocabulary, length, samples and scale; a scale of None is d^-1/2.
    stated : float
        The paper's test accuracy.
    accuracies : list of float
        One a stored seed.
    measured : Summary
        Their statistics.
    """

    settings: Settings
    stated: float
    accuracies: list[float]
    measured: Summary

    @property
    def verdict(self) -> str:
        """Where the paper's number lies among the seeds: "within", "above" or "below"."""
        if self.stated > self.measured.largest:
            return "above"
        return "below" if self.stated < self.measured.smallest else "within"


def paper_rows(rows: Sequence[Row]) -> list[TableRow]:
    """Return the table's rows for which runs are stored, in the paper's order."""
    found = []
    for settings, stated in zip(table_rows(), STATED, strict=True):
        accuracies = [row["test_accuracy"] for row in rows if settings.items() <= row.items()]
        if accuracies:
            found.append(TableRow(settings, stated, accuracies, summarise(accuracies)))
    return found
