"""A small experiment for the tests; `TOY_WAIT=2 python toy.py FOLDER JOBS` is to be killed."""

import os
import sys
import time
from pathlib import Path

from research.experiments import Experiment
from research.experiments.runner import run_experiment


def power(*, base: int, exponent: int, seed: int) -> dict[str, float]:
    if base < 0:
        raise ValueError(f"base {base} is below zero")
    if base == 0:
        time.sleep(2)  # till the others' results are stored
        os._exit(1)
    time.sleep(float(os.environ.get("TOY_WAIT", 0)))
    return {"value": float(base**exponent + seed), "process": os.getpid()}


def toy(**changes) -> Experiment:
    """Return the experiment, with changes to its declaration."""
    settings = {
        "name": "toy",
        "purpose": "Powers.",
        "run": power,
        "rows": [{"base": base} for base in (2, 3, 5)],
        "seeds": 4,
        "fixed": {"exponent": 2},
    }
    return Experiment(**{**settings, **changes})


if __name__ == "__main__":
    run_experiment(toy(), Path(sys.argv[1]), jobs=int(sys.argv[2]), quiet=True)
