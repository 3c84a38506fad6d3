"""Run the toy experiment slowly, to be killed: `python run_toy.py FOLDER JOBS`."""

import sys
from pathlib import Path

from toy import toy

from why_sqrt_d.experiments.runner import run_experiment

if __name__ == "__main__":
    folder, jobs = Path(sys.argv[1]), int(sys.argv[2])
    run_experiment(toy(fixed={"exponent": 2, "wait": 0.1}), folder, jobs=jobs, quiet=True)
