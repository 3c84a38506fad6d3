"""The live figure of chapter 7."""

from typing import Any

from why_sqrt_d.ch7 import figures
from why_sqrt_d.ch7.table import table_rows
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture, thousands
from why_sqrt_d.rows import Row, select, stored

RATES = (0.0005, 0.001, 0.003, 0.01)


def _data() -> dict[str, Any]:
    """Return what ``training.js`` draws: every run as whole numbers, in the order of the seeds.

    A run is its accuracy in training, in thousandths, a mean over each epoch, and last that on new
    strings, in ten-thousandths.
    """
    rows, sizes = stored("table1") + stored("table1_rates"), []
    for row in table_rows():
        if row["scale"] is None:
            continue
        task = {name: row[name] for name in ("vocabulary", "length", "samples")}
        runs = [
            [
                [_whole(run) for run in select(rows, **task, scale=scale, learning_rate=rate)]
                for scale in (None, row["scale"])
            ]
            for rate in RATES
        ]
        sizes.append(
            {
                "key": "-".join(f"{value:g}" for value in row.values()),
                "words": "{0} tokens, {2} strings of {1}; β = {3:g}".format(
                    *map(thousands, task.values()), row["scale"]
                ),
                "length": row["length"],
                "beta": f"{row['scale']:g}",
                "runs": runs,
            }
        )
    return {"rates": [f"{rate:g}" for rate in RATES], "sizes": sizes}


def _whole(row: Row) -> list[int]:
    training = [round(1000 * value) for value in row["train_accuracy"]]
    return [*training, round(10_000 * row["test_accuracy"])]


def _still() -> Picture:
    first = training.data["sizes"][0]
    runs = {training.data["rates"][i]: first["runs"][i] for i in (0, 2)}
    return figures.two_rates(runs, first["beta"])


#: The stored runs with 1/√d and a searched β.
training = LiveFigure("ch7/training", _still, (713, 827), _data)
