"""A small experiment for the tests; `python toy.py FOLDER JOBS` runs it slowly, to be killed."""

import os
import sys
import time
from pathlib import Path

from why_sqrt_d.experiments import Experiment
from why_sqrt_d.experiments.runner import run_experiment


def power(*, base: int, exponent: int, seed: int, wait: float) -> dict[str, float]:
    if base < 0:
        raise ValueError(f"base {base} is below zero")
    time.sleep(wait)
    return {"value": float(base**exponent + seed), "process": os.getpid()}


def toy(**changes) -> Experiment:
    """Return the experiment, with changes to its declaration."""
    settings = {
        "name": "toy",
        "purpose": "Powers.",
        "run": power,
        "rows": [{"base": base} for base in (2, 3, 5)],
        "seeds": 4,
        "fixed": {"exponent": 2, "wait": 0.0},
    }
    return Experiment(**{**settings, **changes})


if __name__ == "__main__":
    slow = toy(fixed={"exponent": 2, "wait": 0.1})
    run_experiment(slow, Path(sys.argv[1]), jobs=int(sys.argv[2]), quiet=True)
