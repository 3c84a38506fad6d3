"""The command: `python -m why_sqrt_d.experiments NAME [--rows --seeds --jobs --backend]`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from why_sqrt_d.experiments.definition import all_experiments
from why_sqrt_d.experiments.runner import run_experiment
from why_sqrt_d.experiments.store import data_folder

NEEDS = "this command needs more packages: pip install 'attn-helpers[experiments]'"


def _rows(text: str) -> list[int]:
    """Read "1,3-5" as 1, 3, 4, 5."""
    numbers: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            numbers += range(int(first), int(last or first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list such as 1,3-5") from None
    return numbers


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m why_sqrt_d.experiments",
        description="Compute the course's stored results. What is stored already is not computed "
        "again: stop at any moment, and the same command goes on.",
    )
    command.add_argument("name", nargs="?", help="an experiment; without it, they are listed")
    command.add_argument("--list", action="store_true", help="list the experiment's rows")
    command.add_argument("--rows", type=_rows, help="only these rows of the list, such as 1,3-5")
    command.add_argument("--seeds", type=_count, help="seeds a row")
    command.add_argument("--jobs", type=_count, default=1, help="processes (default 1)")
    command.add_argument("--backend", choices=("local", "dask"), default="local")
    command.add_argument("--scheduler", help="address of a Dask scheduler, tcp://host:port")
    command.add_argument("--folder", type=Path, help="where results are stored (book/data)")
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    command, experiments = _parser(), all_experiments()
    given = command.parse_args(arguments)
    if given.name is None:
        for name, experiment in sorted(experiments.items()):
            print(f"{name:20s} {experiment.purpose}")
        return 0
    if given.name not in experiments:
        command.error(f"no experiment {given.name!r}; there are {', '.join(sorted(experiments))}")
    if (given.backend == "dask") != (given.scheduler is not None):
        command.error("--backend dask and --scheduler tcp://host:port belong together")
    experiment = experiments[given.name]
    if given.list:
        for number, row in enumerate(experiment.rows, 1):
            print(f"{number:4d}  " + ", ".join(f"{name} = {row[name]}" for name in row))
        return 0
    options = {key: getattr(given, key) for key in ("seeds", "rows", "jobs", "scheduler", "quiet")}
    try:
        done = run_experiment(experiment, given.folder or data_folder(), **options)
    except ModuleNotFoundError as missing:
        print(f"{missing}: {NEEDS}", file=sys.stderr)
        return 1
    except (RuntimeError, ValueError, OSError) as problem:
        print(f"{experiment.name}: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Finished runs are stored; the same command goes on.", file=sys.stderr)
        return 130
    print(f"{experiment.name}: {done} runs done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
