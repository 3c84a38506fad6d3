"""Rows of results in a file to which lines are only added: a kill costs the line in the making.

One JSON object a line, {"settings": …, "results": …, "seconds": …}, in the order in which runs
finished. A line without its end was cut short: it does not count, and is written again.
`digests.txt` beside the files has the length and the SHA-256 of each as the last command left it.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from why_sqrt_d import DATA
from why_sqrt_d.experiments.definition import Experiment, Settings, all_experiments

Row = dict[str, Any]


def stored(name: str, folder: Path | str = DATA) -> list[Row]:
    """Return the rows of experiment `name`, each one flat dict of settings, results and seconds.

    They are in the order of the experiment's rows and seeds, whatever that of the file.
    """
    path = Path(folder) / f"{name}.jsonl"
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


def select(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """Return the stored `rows` with these `settings`, in order; KeyError if there is none.

    >>> select([{"d": 4, "seed": 0}, {"d": 8, "seed": 0}], d=8)
    [{'d': 8, 'seed': 0}]
    """
    found = [row for row in rows if settings.items() <= row.items()]
    if not found:
        wanted = ", ".join(f"{key} = {value!r}" for key, value in settings.items())
        raise KeyError(f"no stored row has {wanted}")
    return found


def digests(folder: Path = DATA) -> dict[str, tuple[int, str]]:
    """Return each file's length in bytes and SHA-256, as `digests.txt` has them."""
    path = folder / "digests.txt"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: (int(size), told) for name, size, told in map(str.split, lines)}


def digest(path: Path, size: int | None = None) -> tuple[int, str]:
    """Return a file's length and SHA-256, or those of its first `size` bytes."""
    data = path.read_bytes()[:size]
    return len(data), sha256(data).hexdigest()


def same(found: Any, known: Any, agreement: float | None) -> bool:
    """Whether a result is the stored one within an experiment's `agreement`.

    None is for a training's "early" losses: they agree in the six digits that are stored, give or
    take one in the last.
    """
    if isinstance(found, Mapping):
        return found.keys() == known.keys() and all(
            same(found[key], known[key], agreement) for key in found
        )
    if isinstance(found, Sequence) and not isinstance(found, str):
        return len(found) == len(known) and all(
            same(a, b, agreement) for a, b in zip(found, known, strict=True)
        )
    if isinstance(found, float) and isinstance(known, float):
        share, more = (1e-5, 1e-6) if agreement is None else (agreement, 1e-5)
        return abs(found - known) <= share * abs(known) + more
    return bool(found == known)


def differences(experiment: Experiment, folder: Path, again: Path) -> list[str]:
    """Return where the rows of a second folder are not those of the first, as far as they agree.

    Of a training whose end belongs to one processor the first losses are compared.
    """
    name, agreement = experiment.name, experiment.agreement
    known = {_key(row["settings"]): row["results"] for row in _read(folder / f"{name}.jsonl")}
    return [
        f"{result} of {row['settings']}"
        for row in _read(again / f"{name}.jsonl")
        for result, value in row["results"].items()
        if agreement is not None or result == "early"
        if not same(value, known[_key(row["settings"])].get(result), agreement)
    ]


class Store:
    """The file of one experiment, to be written by one process at a time."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.path = folder / f"{experiment.name}.jsonl"
        self._fixed = dict(experiment.fixed)
        self._keys: set[str] = set()
        if self.path.exists():
            known = digests(folder).get(self.path.name)
            if known is not None and digest(self.path, known[0]) != known:
                raise ValueError(
                    f"{self.path} was changed since it was stored; bring it back, or take "
                    "its line out of digests.txt to keep the change"
                )
            names = {"seed", *experiment.fixed, *experiment.rows[0]}
            for row in _read(self.path):
                settings = row["settings"]
                same = {name: settings.get(name) for name in self._fixed}
                if {*settings} != names or _key(same) != _key(self._fixed):
                    raise ValueError(
                        f"{self.path} was made with other settings than {experiment.fixed}: "
                        f"{settings}; move the file away to begin anew"
                    )
                self._keys.add(_key(settings))
            with self.path.open("rb+") as file:  # take away what a kill left of a line
                file.truncate(file.read().rfind(b"\n") + 1)

    def seal(self) -> None:
        """Write the file's digest; what a kill leaves unsealed is only lines added since."""
        from filelock import FileLock

        folder = self.path.parent
        if self.path.exists():
            with FileLock(folder / ".digests.lock"):
                whole = self.path.read_bytes().rfind(b"\n") + 1  # a full disk leaves half a line
                known = digests(folder) | {self.path.name: digest(self.path, whole)}
                lines = (f"{name} {size} {told}" for name, (size, told) in sorted(known.items()))
                new = folder / ".digests.lock.new"
                new.write_text("\n".join(lines) + "\n", "utf-8")
                new.replace(folder / "digests.txt")

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


def _read(path: Path) -> list[Row]:
    """Return the rows whose line is whole; of two with the same settings, the last."""
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    return list({_key(row["settings"]): row for row in rows}.values())


def _key(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True)
