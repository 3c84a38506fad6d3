"""The experiment: a language model trained with and without √d, each arm at seven rates.

What was to be compared was written down before: `docs/language-model-plan.md`.
"""

import os
from typing import Any

from why_sqrt_d.experiments.definition import Experiment

ARMS = ("1/√d", "none", "1/d", "start only", "speed only", "both", "folded", "QK norm")
THREE = ARMS[:3]
STARTS = ("textbook", "GPT-2")
RATES = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)


def run(**settings: Any) -> dict[str, Any]:
    """Train once, as `why_sqrt_d.language_model.train` does; JAX is asked for only here."""
    os.environ.setdefault("NPROC", "1")  # JAX's threads: the runner has a process a core
    from why_sqrt_d.language_model import train

    return train(**settings)


EXPERIMENTS = (
    Experiment(
        name="language_rates",
        purpose="a language model with eight ways to have √d or not, at seven rates",
        run=run,
        rows=[
            {"arm": arm, "start": start, "d": 64, "rate": rate}
            for start in STARTS
            for arm in ARMS
            for rate in RATES
        ],
        seeds=3,
        fixed={"steps": 1000, "optimiser": "adam"},
    ),
    Experiment(
        name="language_widths",
        purpose="the same with heads of width 16 and 128, for three scales",
        run=run,
        rows=[
            {"arm": arm, "start": "textbook", "d": d, "rate": rate}
            for d in (16, 128)
            for arm in THREE
            for rate in RATES
        ],
        seeds=3,
        fixed={"steps": 1000, "optimiser": "adam"},
    ),
)
