"""Rows of results in a file: each is there whole or not at all, whatever interrupts the run.

One JSON object a line, {"settings": …, "results": …, "seconds": …}. The file is replaced as a
whole, by a renamed copy, whenever a run has finished.
"""

import json
import os
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from why_sqrt_d.experiments.definition import Experiment, Settings

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
    """Return an experiment's rows, each one flat dict of settings, results and seconds.

    Parameters
    ----------
    name : str
        The experiment.
    folder : path, optional
        Where its file is; by default `book/data`, or what was installed with the package.

    Returns
    -------
    list of dict
        In the order of the experiment's grid.

    Raises
    ------
    FileNotFoundError
        If nothing is stored; the message says with which command to compute it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> line = '{"settings": {"d": 64, "seed": 0}, "results": {"entropy": 1.5}, "seconds": 0.1}'
    >>> _ = (folder / "demo.jsonl").write_text(line)
    >>> stored("demo", folder)
    [{'d': 64, 'seed': 0, 'entropy': 1.5, 'seconds': 0.1}]
    """
    path = Path(folder or data_folder()) / f"{name}.jsonl"
    if folder is None and not path.exists():
        path = installed_folder() / path.name
    if not path.exists():
        command = f"python -m why_sqrt_d.experiments {name}"
        raise FileNotFoundError(f"{path} is missing; it comes with the course, or from: {command}")
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return [{**row["settings"], **row["results"], "seconds": row["seconds"]} for row in rows]


class Store:
    """The file of one experiment.

    Parameters
    ----------
    experiment : Experiment
        Whose rows they are.
    folder : path
        Where the file is or will be.

    Raises
    ------
    MixedSettingsError
        If the file holds rows of other fixed settings, or that vary other names.
    ValueError
        If the file holds a line that is no row.
    """

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.path = folder / f"{experiment.name}.jsonl"
        self._fixed = _plain(experiment.fixed)
        self._rows: dict[str, Row] = {}
        names = {*self._fixed, *(name for one in experiment.grid(1) for name in one)}
        for row in self._read():
            self._refuse_others(row["settings"], names)
            self._rows[self._key(row["settings"])] = row

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, varied: Settings) -> bool:
        return self._key({**self._fixed, **varied}) in self._rows

    def add(self, varied: Settings, results: Mapping[str, Any], seconds: float) -> None:
        """Add one finished run and replace the file."""
        settings = _plain({**self._fixed, **varied})
        row = {"settings": settings, "results": _plain(results), "seconds": round(seconds, 3)}
        self._rows[self._key(settings)] = row
        self._write()

    def sort(self, order: Iterable[Settings]) -> None:
        """Put the rows into the order given; those it does not name come last."""
        keys = [self._key({**self._fixed, **varied}) for varied in order]
        first = {key: self._rows[key] for key in keys if key in self._rows}
        self._rows = {**first, **self._rows}
        if self._rows:
            self._write()

    def _key(self, settings: Settings) -> str:
        return json.dumps(_plain(settings), sort_keys=True)

    def _read(self) -> list[Row]:
        if not self.path.exists():
            return []
        rows = []
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            try:
                row = json.loads(line)
                rows.append({name: row[name] for name in ("settings", "results", "seconds")})
            except (ValueError, KeyError, TypeError):
                raise ValueError(
                    f"{self.path}, line {number}, is no stored row: {line!r}"
                ) from None
        return rows

    def _refuse_others(self, settings: Settings, names: set[str]) -> None:
        if {*settings} != names:
            other = ", ".join(sorted({*settings} ^ names))
            raise MixedSettingsError(f"{self.path} varies other settings than asked now: {other}")
        for name, value in self._fixed.items():
            if settings[name] != value:
                raise MixedSettingsError(
                    f"{self.path} was made with {name} = {settings[name]!r} but the experiment "
                    f"now has {value!r}; move the file away to begin anew"
                )

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        copy = self.path.with_suffix(".part")
        with copy.open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in self._rows.values())
            file.flush()
            os.fsync(file.fileno())
        copy.replace(self.path)


def _plain(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return what JSON makes of it, so that stored and new settings compare equal."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(mapping), allow_nan=True))
    return plain
