"""Rows of results in a file to which lines are only added: a kill costs the line in the making.

One JSON object a line, {"settings": …, "results": …, "seconds": …}, in the order in which runs
finished. A line without its end was cut short: it does not count, and is written again.
`digests.txt` beside the files has the length and the SHA-256 of each as the last command left it.
"""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from research.experiments.definition import Experiment, Settings
from why_sqrt_d import DATA
from why_sqrt_d.rows import settings_key, whole_rows


def digests(folder: Path = DATA) -> dict[str, tuple[int, str]]:
    """Return each file's length in bytes and SHA-256, as `digests.txt` has them."""
    path = folder / "digests.txt"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: (int(size), told) for name, size, told in map(str.split, lines)}


def digest(path: Path, size: int | None = None) -> tuple[int, str]:
    """Return a file's length and SHA-256, or those of its first `size` bytes."""
    data = path.read_bytes()[:size]
    return len(data), sha256(data).hexdigest()


def same(computed: Any, known: Any, agreement: float | None) -> bool:
    """Whether a result is the stored one within an experiment's `agreement`.

    None is for a training's "early" losses: they agree in the six digits that are stored, give or
    take one in the last.
    """
    if isinstance(computed, Mapping):
        return computed.keys() == known.keys() and all(
            same(computed[key], known[key], agreement) for key in computed
        )
    if isinstance(computed, Sequence) and not isinstance(computed, str):
        return len(computed) == len(known) and all(
            same(a, b, agreement) for a, b in zip(computed, known, strict=True)
        )
    if isinstance(computed, float) and isinstance(known, float):
        share, more = (1e-5, 1e-6) if agreement is None else (agreement, 1e-5)
        return abs(computed - known) <= share * abs(known) + more
    return bool(computed == known)


def differences(experiment: Experiment, folder: Path, again: Path) -> list[str]:
    """Return where the rows of a second folder are not those of the first, as far as they agree.

    Of a training whose end belongs to one processor the first losses are compared.
    """
    name, agreement = experiment.name, experiment.agreement
    known = {
        settings_key(row["settings"]): row["results"]
        for row in whole_rows(folder / f"{name}.jsonl")
    }
    return [
        f"{result} of {row['settings']}"
        for row in whole_rows(again / f"{name}.jsonl")
        for result, value in row["results"].items()
        if agreement is not None or result == "early"
        if not same(value, known[settings_key(row["settings"])].get(result), agreement)
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
            for row in whole_rows(self.path):
                settings = row["settings"]
                same = {name: settings.get(name) for name in self._fixed}
                if {*settings} != names or settings_key(same) != settings_key(self._fixed):
                    raise ValueError(
                        f"{self.path} was made with other settings than {experiment.fixed}: "
                        f"{settings}; move the file away to begin anew"
                    )
                self._keys.add(settings_key(settings))
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
        return settings_key({**self._fixed, **varied}) in self._keys

    def add(self, varied: Settings, results: Mapping[str, Any], seconds: float) -> None:
        """Add one finished run to the end of the file."""
        settings = {**self._fixed, **varied}
        row = {"settings": settings, "results": dict(results), "seconds": round(seconds, 3)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._keys.add(settings_key(settings))
