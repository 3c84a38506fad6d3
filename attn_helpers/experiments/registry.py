"""Finds the declared experiments: every module beside this one with a tuple `EXPERIMENTS`."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from attn_helpers.experiments.definition import Experiment


@cache
def all_experiments() -> dict[str, Experiment]:
    """Return every experiment by its name."""
    found: dict[str, Experiment] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.startswith("__"):
            continue
        declared = getattr(
            importlib.import_module(f"{__package__}.{module.name}"), "EXPERIMENTS", ()
        )
        for experiment in declared:
            if experiment.name in found:
                raise ValueError(f"experiment {experiment.name!r} is declared twice")
            found[experiment.name] = experiment
    return found
