"""``python -m research.libraries [NAME…]``: audit what is not stored yet, or NAME once more.

Each library has an environment of its own (uv makes and forgets it). One that does not install, or
ends with an error, is a row that says so, and is tried again only by its name.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from why_sqrt_d import DATA

STORE = DATA / "libraries.jsonl"
TORCH = "torch==2.13.0"
Row = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """A package, its versions (the newest last), what else it needs, the module that wraps it."""

    package: str
    versions: str
    module: str
    others: str = ""
    backend: str = ""  # Keras's

    @property
    def name(self) -> str:
        """Its name in the rows."""
        return f"{self.package} on {self.backend}" if self.backend else self.package


LIBRARIES = (
    Library("torch", "2.13.0", "torch_"),
    Library("jax", "0.4.31 0.12.0.1", "jax_"),
)


def run(library: Library, version: str) -> list[Row]:
    """Return the rows of one version, the last of which says so if it failed."""
    wanted = [f"{library.package}=={version}", "numpy", "ml_dtypes", *library.others.split()]
    uv = ["uv", "run", "--isolated", "--no-project", "--python=3.11"]
    uv += [part for x in wanted for part in ("--with", x)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    known = {"PYTHONPATH": ".", "KERAS_BACKEND": library.backend, "PYTHONUTF8": "1"} | threads
    known |= {"UV_FIND_LINKS": links} if (links := os.environ.get("PIP_FIND_LINKS")) else {}
    about = {"library": library.name, "version": version}
    try:
        done = subprocess.run(
            [*uv, "python", "-m", "research.libraries.probe", library.module],
            **{"env": os.environ | known, "cwd": DATA.parents[1], "timeout": 1500},
            **{"capture_output": True, "text": True},
        )
        said, code, errors = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        said, code, errors = "", 1, "it took more than 25 minutes"
    lines = (line.removeprefix("ROW ") for line in said.splitlines() if line[:4] == "ROW ")
    rows = [about | json.loads(line) for line in lines]
    if code:
        print(errors[-3000:], file=sys.stderr)
        last = errors.strip().splitlines()[-1][:160] if errors.strip() else f"exit {code}"
        rows.append(about | {"function": "", "behaviour": "run", "value": "failed", "note": last})
    return rows


def main(names: list[str]) -> None:
    """Run what is asked for; after each version the file is replaced by a whole one."""
    if unknown := {*names} - {x.name for x in LIBRARIES}:
        raise SystemExit(f"unknown: {', '.join(unknown)}; known: {[x.name for x in LIBRARIES]}")
    known: dict[tuple[str, str], list[Row]] = {}
    if STORE.exists():
        for row in map(json.loads, STORE.read_text("utf-8").splitlines()):
            known.setdefault((row["library"], row["version"]), []).append(row)
    for library in LIBRARIES:
        for version in library.versions.split():
            key = (library.name, version)
            if (library.name in names) if names else (key not in known):
                print(*key, flush=True)
                known[key] = run(library, version)
                order = {(x.name, v): 0 for x in LIBRARIES for v in x.versions.split()}
                rows = [row for one in order for row in known.get(one, [])]
                lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
                new = STORE.with_suffix(".new")
                new.write_text("".join(lines), "utf-8")
                new.replace(STORE)


if __name__ == "__main__":
    main(sys.argv[1:])
