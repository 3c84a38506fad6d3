"""Rows of results in a file to which lines are only added: a kill costs the line in the making.

One JSON object a line, {"settings": …, "results": …, "seconds": …}, in the order in which runs
finished. A line without its end was cut short: it does not count, and is written again.
"""

import json
import os
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from why_sqrt_d.experiments.definition import Experiment, Settings, all_experiments

Row = dict[str, Any]


class MixedSettingsError(ValueError):
    """The stored rows were made with other settings than those asked for now."""


def data_folder() -> Path:
    """Return `book/data` of the course's files, or `data` in the current folder."""
    beside = Path(__file__).parents[2] / "book" / "data"
    return beside if beside.is_dir() else Path("data").resolve()


def installed_folder() -> Path:
    """Return where `pip install` puts the rows, for a notebook that is opened by itself."""
    return Path(sysconfig.get_path("data"), "share", "why-sqrt-d", "data")


def stored(name: str, folder: Path | str | None = None) -> list[Row]:
    """Return the rows of experiment `name`, each one flat dict of settings, results and seconds.

    They are in the order of the experiment's rows and seeds, whatever that of the file, which is
    in `folder`: by default `book/data`, or what was installed with the package.
    """
    path = Path(folder or data_folder()) / f"{name}.jsonl"
    if folder is None and not path.exists():
        path = installed_folder() / path.name
    if not path.exists():
        command = f"python -m why_sqrt_d.experiments {name}"
        raise FileNotFoundError(f"{path} is missing; it comes with the course, or from: {command}")
    rows = _read(path)
    if experiment := all_experiments().get(name):
        places = {_key({**experiment.fixed, **row}): i for i, row in enumerate(experiment.rows)}

        def place(row: Row) -> tuple[int, int]:
            settings = dict(row["settings"])
            seed = settings.pop("seed")
            return places.get(_key(settings), len(places)), seed

        rows.sort(key=place)
    return [{**row["settings"], **row["results"], "seconds": row["seconds"]} for row in rows]


class Store:
    """The file of one experiment, to be written by one process at a time."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.path = folder / f"{experiment.name}.jsonl"
        # What JSON makes of them, so that stored and new settings compare equal.
        self._fixed: Settings = json.loads(json.dumps(dict(experiment.fixed)))
        self._names = {"seed", *experiment.fixed, *experiment.rows[0]}
        self._keys: set[str] = set()
        if self.path.exists():
            for row in _read(self.path):
                self._refuse_others(row["settings"])
                self._keys.add(_key(row["settings"]))
            with self.path.open("rb+") as file:  # take away what a kill left of a line
                file.truncate(file.read().rfind(b"\n") + 1)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, varied: Settings) -> bool:
        return _key({**self._fixed, **varied}) in self._keys

    def add(self, varied: Settings, results: Mapping[str, Any], seconds: float) -> None:
        """Add one finished run to the end of the file."""
        settings = {**self._fixed, **varied}
        row = {"settings": settings, "results": dict(results), "seconds": round(seconds, 3)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._keys.add(_key(settings))

    def _refuse_others(self, settings: Settings) -> None:
        if {*settings} != self._names:
            other = ", ".join(sorted({*settings} ^ self._names))
            raise MixedSettingsError(f"{self.path} varies other settings than asked now: {other}")
        for name, value in self._fixed.items():
            if settings[name] != value:
                raise MixedSettingsError(
                    f"{self.path} was made with {name} = {settings[name]!r} but the experiment "
                    f"now has {value!r}; move the file away to begin anew"
                )


def _read(path: Path) -> list[Row]:
    """Return the rows whose line is whole; of two with the same settings, the last."""
    rows = {}
    for number, line in enumerate(path.read_text("utf-8").split("\n")[:-1], 1):
        try:
            row = json.loads(line)
            row = {name: row[name] for name in ("settings", "results", "seconds")}
            rows[_key(row["settings"])] = row
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number}, is no stored row: {line!r}") from None
    return list(rows.values())


def _key(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True)
