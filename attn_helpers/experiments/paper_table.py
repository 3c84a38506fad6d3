"""Table 1 of source D beside the stored runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_helpers.experiments.definition import Settings
from attn_helpers.experiments.store import Row
from attn_helpers.experiments.summary import Summary, summarise
from attn_helpers.experiments.table1 import ROWS

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


def paper_rows(rows: Sequence[Row]) -> list[TableRow]:
    """Return the table's rows for which runs are stored, in the paper's order."""
    found = []
    names = ("vocabulary", "length", "samples", "scale")
    keys = [(*task, scale) for task, scales in ROWS.items() for scale in scales]
    for key, stated in zip(keys, STATED, strict=True):
        settings = dict(zip(names, key, strict=True))
        runs = [row for row in rows if all(row[name] == settings[name] for name in names)]
        accuracies = [run["test_accuracy"] for run in runs]
        if accuracies:
            found.append(TableRow(settings, stated, accuracies, summarise(accuracies)))
    return found
