"""What the stored trainings of the language model say: loss by rate, best and good rates.

Losses are in nats a character, on validation text unless said; a run that diverged has infinite
loss. An arm is named by its settings, such as ``arm="none", start="textbook", d=64``.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d.ch4.language_runs import ARMS, RATES
from why_sqrt_d.experiments.store import Row, select

COMPARED = ARMS[:6]


def whole_seeds(rows: Sequence[Row], **settings: Any) -> list[Row]:
    """Return the runs of COMPARED with these settings, of the seeds that all of them have."""
    found = [row for row in select(rows, **settings) if row["arm"] in COMPARED]
    runs = Counter(row["seed"] for row in found)
    return [row for row in found if runs[row["seed"]] == len(COMPARED) * len(RATES)]


def by_rate(rows: Sequence[Row], **arm: Any) -> dict[float, Float64Array]:
    """Return the arm's losses at each learning rate: (seeds,)."""
    found: dict[float, list[float]] = {}
    for row in select(rows, **arm):
        found.setdefault(row["rate"], []).append(row.get("validation", np.inf))
    return {rate: np.array(found[rate]) for rate in sorted(found)}


def best_rate(rows: Sequence[Row], **arm: Any) -> float:
    """Return the rate with the lowest mean loss over the seeds."""
    losses = by_rate(rows, **arm)
    return min(losses, key=lambda rate: losses[rate].mean())


def good_rates(rows: Sequence[Row], within: float = 0.05, **arm: Any) -> list[float]:
    """Return the rates whose mean loss is `within` so many nats of the arm's best."""
    means = {rate: losses.mean() for rate, losses in by_rate(rows, **arm).items()}
    return [rate for rate, mean in means.items() if mean <= min(means.values()) + within]
