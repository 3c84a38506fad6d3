"""Measures one model, in an environment of its own; `python -m research.opened_models` calls it.

It is given the module of this package that measures, this one or another, a model's name, and the
folder that holds the model's package. The last line printed is a JSON object, the stored row.
"""

import hashlib
import importlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from research.opened_models.heads import Layer, all_heads


def multipliers(d: int) -> list[float]:
    """Return the thirteen factors of all logits; the last, √d, undoes the division.

    >>> multipliers(64)
    [0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 4, 8.0]
    """
    between = 4 if d > 16 else round(float((4 * d) ** 0.25), 4)
    return [0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, between, round(d**0.5, 4)]


def checked(spec: Any, folder: Path) -> Path:
    """Return the path of a model's file of weights, or of the first of its parts.

    `FILE` is a pattern; the hash is of the parts in the order of their names, one after the other.

    Raises
    ------
    LookupError
        If it is missing or another one; the message has the hash that was wanted and that found.
    """
    parts, told = sorted(folder.glob(spec.FILE)), hashlib.sha256()
    for part in parts:
        told.update(part.read_bytes())
    got = told.hexdigest() if parts else "no such file"
    if got != spec.SHA256:
        raise LookupError(f"{spec.FILE} of {spec.PACKAGE}: wanted {spec.SHA256}, got {got}")
    return parts[0]


def measured(spec: Any, file: Path) -> dict[str, Any]:
    """Return the row of a model: what it is, a dict a head, and an input's losses at each m."""
    factors = multipliers(spec.D)
    layers: defaultdict[int, Layer] = defaultdict(Layer)
    found = list(spec.measure(file, factors, lambda layer, *x: layers[layer].see(*x)))
    about = ("package", "sha256", "licence", "d", "input", "unit", "start")
    units = [len(one.targets) for one in found]
    _, often = np.unique(np.concatenate([one.targets for one in found]), return_counts=True)
    guess = np.log(sum(units)) - often @ np.log(often) / sum(units)
    return {name: getattr(spec, name.upper()) for name in about} | {
        "multipliers": factors,
        "units": units,
        # Nats a unit of a guess that knows how often each target comes, and nothing else.
        "guess": float(f"{guess:.5g}") if getattr(spec, "GUESSED", True) else None,
        "losses": [[float(f"{x:.6g}") for x in one.losses] for one in found],
        "right": [one.right for one in found],
        "heads": all_heads(layers),
    }


if __name__ == "__main__":
    code, spec = (
        importlib.import_module(f"research.opened_models.{name}")
        for name in (sys.argv[1], f"models.{sys.argv[2]}")
    )
    print(json.dumps(code.measured(spec, checked(spec, Path(sys.argv[3])))))
