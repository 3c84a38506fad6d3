"""Measures a model once more, one head's logits multiplied at a time.

For `python -m research.opened_models --heads`. Stored are, for each head and factor, the mean rise
of an input's loss and its standard error.
"""

from pathlib import Path
from typing import Any

import numpy as np

from research.opened_models.attention import Factor

HEADS = {"rxnmapper": (12, 8), "mgm": (8, 8)}  # layers, and heads in each


def head_multipliers(d: int) -> list[float]:
    """Return what one head's logits are multiplied by: 0 averages, √d undoes the division."""
    return [0, 0.5, 0.7, 1.5, 2, round(d**0.5, 4)]


def measured(spec: Any, file: Path) -> dict[str, Any]:
    """Return nats a target: how far the loss rises, (heads, factors), with standard errors."""
    tried, shape = head_multipliers(spec.D), HEADS[spec.__name__.rpartition(".")[2]]
    alone: list[Factor] = [1.0]
    for head in np.ndindex(shape):
        for factor in tried:
            one = np.ones(shape)
            one[head] = factor
            alone.append(one)
    found = list(spec.measure(file, alone, lambda *_: None))
    losses = np.array([one.losses for one in found])  # (inputs, 1 + heads · factors)
    units = np.array([len(one.targets) for one in found])
    # Residuals of a ratio of sums: its standard error over inputs, by the delta method.
    rise = losses[:, 1:] - losses[:, :1]
    mean = rise.sum(axis=0) / units.sum()
    off = rise - mean * units[:, None]
    error = np.sqrt((off**2).sum(axis=0) * len(off) / (len(off) - 1)) / units.sum()
    table = {"rises": mean, "errors": error}
    return {"multipliers": tried, "inputs": len(units), "heads": [*shape]} | {
        key: [[float(f"{x:.4g}") for x in head] for head in x.reshape(-1, len(tried))]
        for key, x in table.items()
    }
