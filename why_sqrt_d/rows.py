"""The stored rows of long computations, `book/data/<experiment>.jsonl`, for pages to read.

One JSON object a line, {"settings": …, "results": …, "seconds": …}, in the order in which runs
finished. A line without its end was cut short and does not count.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from why_sqrt_d import DATA

Row = dict[str, Any]


def stored(name: str, folder: Path | str = DATA) -> list[Row]:
    """Return the rows of experiment `name`, each one flat dict of settings, results and seconds.

    Runs that differ only in their seed stand together, by seed, where the file has the first.
    """
    path = Path(folder) / f"{name}.jsonl"
    if not path.exists():
        command = f"python -m research.experiments {name}"
        raise FileNotFoundError(f"{path} is missing; it comes with the course, or from: {command}")
    groups: dict[str, list[Row]] = {}
    for row in whole_rows(path):
        settings = {key: value for key, value in row["settings"].items() if key != "seed"}
        groups.setdefault(settings_key(settings), []).append(row)
    return [
        {**row["settings"], **row["results"], "seconds": row["seconds"]}
        for group in groups.values()
        for row in sorted(group, key=lambda row: row["settings"].get("seed", 0))
    ]


def select(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """Return the stored `rows` with these `settings`, in order; KeyError if there is none.

    >>> select([{"d": 4, "seed": 0}, {"d": 8, "seed": 0}], d=8)
    [{'d': 8, 'seed': 0}]
    """
    chosen = [row for row in rows if settings.items() <= row.items()]
    if not chosen:
        wanted = ", ".join(f"{key} = {value!r}" for key, value in settings.items())
        raise KeyError(f"no stored row has {wanted}")
    return chosen


def whole_rows(path: Path) -> list[Row]:
    """Return the rows whose line is whole; of two with the same settings, the last."""
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    return list({settings_key(row["settings"]): row for row in rows}.values())


def settings_key(settings: Mapping[str, Any]) -> str:
    """Return one text for equal settings, whatever the order of their names."""
    return json.dumps(dict(settings), sort_keys=True)
