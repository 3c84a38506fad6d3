"""Table 1 of source D beside the stored runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_helpers.experiments.definition import Settings
from attn_helpers.experiments.store import Row
from attn_helpers.experiments.summary import Summary, summarise
from attn_helpers.experiments.table1 import table_rows

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
