"""The command: `python -m research.experiments NAME [--rows --seeds --jobs]`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from research.experiments.definition import all_experiments
from research.experiments.runner import run_experiment
from research.experiments.store import differences
from why_sqrt_d import DATA
from why_sqrt_d.rows import settings_key, whole_rows


def _rows(text: str) -> list[int]:
    """Read "1,3-5" as 1, 3, 4, 5."""
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen += range(int(first), int(last or first) + 1)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    command = argparse.ArgumentParser(
        prog="python -m research.experiments",
        description="Compute the course's stored results. What is stored already is not computed "
        "again: stop at any moment, and the same command goes on.",
    )
    command.add_argument("name", nargs="?", help="an experiment; without it, they are listed")
    command.add_argument("--list", action="store_true", help="list the experiment's rows")
    command.add_argument("--again", action="store_true", help="run what is stored, and compare")
    command.add_argument("--rows", type=_rows, help="only these rows of the list, such as 1,3-5")
    command.add_argument("--seeds", type=int, help="seeds a row")
    command.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    command.add_argument("--folder", type=Path, default=DATA, help="where results are stored")
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    given, experiments = command.parse_args(arguments), all_experiments()
    if given.name is None:
        for name, experiment in sorted(experiments.items()):
            path, declared = given.folder / f"{name}.jsonl", experiment.settings()
            rows = whole_rows(path) if path.exists() else []
            known = {settings_key(row["settings"]) for row in rows}
            done = sum(settings_key({**experiment.fixed, **one}) in known for one in declared)
            print(f"{name:24s} {done:4d} of {len(declared):4d} runs  {experiment.purpose}")
        return 0
    if given.name not in experiments:
        command.error(f"no experiment {given.name!r}; there are {', '.join(sorted(experiments))}")
    experiment = experiments[given.name]
    if given.list:
        for number, row in enumerate(experiment.rows, 1):
            print(f"{number:4d}  " + ", ".join(f"{name} = {row[name]}" for name in row))
        return 0
    options = {key: getattr(given, key) for key in ("seeds", "rows", "jobs", "quiet")}
    try:
        if given.again:
            with TemporaryDirectory() as new:
                options["again"] = Path(new)
                done = run_experiment(experiment, given.folder, **options)
                other = differences(experiment, given.folder, Path(new))
            print(*(f"not as stored: {line}" for line in other), sep="\n")
            print(f"{given.name}: {done} runs compared")
            return min(len(other), 1)
        done = run_experiment(experiment, given.folder, **options)
    except KeyboardInterrupt:
        print("\nStopped. Finished runs are stored; the same command goes on.", file=sys.stderr)
        return 130
    except ModuleNotFoundError as missing:
        print(f"{missing}: pip install 'attn-helpers[language]'", file=sys.stderr)
        return 1
    except (RuntimeError, ValueError, OSError) as problem:
        print(f"{given.name}: {problem}", file=sys.stderr)
        return 1
    print(f"{given.name}: {done} runs done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
