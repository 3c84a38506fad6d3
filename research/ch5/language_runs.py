"""A language model trained with and without √d: at seven rates, from new seeds, other widths.

What was to be compared was written down before: `research/plans/language-model.md`.
"""

import os
from collections.abc import Sequence
from typing import Any

from research.ch5.settings import STARTS, TrainingSettings
from research.experiments.definition import Experiment
from why_sqrt_d.ch5.language_curves import MULTIPLIERS, RATED_ARMS, RATES

THREE = RATED_ARMS[:3]
LATER_RATES = (0.0003, 0.001, 0.003)
MOMENTUM_RATES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28)


def run(
    *, multipliers: Sequence[float] = (), later_rates: Sequence[float] = (), **settings: Any
) -> dict[str, Any]:
    """Train once, as `research.ch5.language_model.train` does; JAX is asked for only here."""
    os.environ.setdefault("NPROC", "1")  # JAX's threads: the runner has a process a core
    from research.ch5.language_model import train

    return train(TrainingSettings(**settings), multipliers, later_rates)


def run_later(seed: int) -> dict[str, Any]:
    """Train with 1/√d at its best rate, then on from there with the division kept or dropped."""
    return run_chosen(seed, "1/√d", "textbook", later_rates=LATER_RATES)


def run_chosen(seed: int, arm: str, start: str, **then: Any) -> dict[str, Any]:
    """Train at the arm's own best rate, with a seed that chose none; open the model, or `then`."""
    settings: dict[str, Any] = {"arm": arm, "start": start, "d": 64, "rate": BEST[start, arm]}
    return run(seed=100 + seed, **settings, **ADAM, **(then or {"multipliers": MULTIPLIERS}))


ADAM: dict[str, Any] = {"steps": 1000, "optimiser": "adam"}
#: The rate of the lowest mean loss on validation text in `language_rates`.
BEST = {
    ("textbook", "1/√d"): 0.004,
    ("textbook", "none"): 0.001,
    ("textbook", "1/d"): 0.004,
    ("textbook", "start only"): 0.002,
    ("textbook", "speed only"): 0.002,
    ("textbook", "both"): 0.004,
    ("GPT-2", "none"): 0.002,
    ("GPT-2", "1/√d"): 0.004,
    ("GPT-2", "speed only"): 0.004,
    ("textbook", "QK norm"): 0.004,
    ("textbook", "folded"): 0.001,
    ("GPT-2", "1/d"): 0.008,
    ("GPT-2", "start only"): 0.002,
    ("GPT-2", "both"): 0.004,
    ("GPT-2", "folded"): 0.002,
    ("GPT-2", "QK norm"): 0.004,
}

EXPERIMENTS = (
    Experiment(
        name="language_rates",
        purpose="a language model with nine ways to have √d or not, at seven rates",
        run=run,
        rows=[
            {"arm": arm, "start": start, "d": 64, "rate": rate}
            for start in STARTS
            for arm in RATED_ARMS
            for rate in RATES
        ],
        seeds=3,
        fixed=ADAM,
        agreement=None,
    ),
    Experiment(
        name="language_chosen",
        purpose="each arm at its own best rate, with ten seeds that chose no rate",
        run=run_chosen,
        rows=[{"arm": arm, "start": start} for start, arm in BEST],
        seeds=10,
        agreement=None,
    ),
    Experiment(
        name="language_momentum",
        purpose="three scales under gradient descent with momentum, where Adam's argument is void",
        run=run,
        rows=[
            {"arm": arm, "start": "textbook", "d": 64, "rate": rate}
            for arm in THREE
            for rate in MOMENTUM_RATES
        ],
        seeds=3,
        fixed={"steps": 1000, "optimiser": "momentum"},
        agreement=None,
    ),
    Experiment(
        name="language_widths",
        purpose="the same with heads of width 16 and 128, for three scales and a constant",
        run=run,
        rows=[
            {"arm": arm, "start": "textbook", "d": d, "rate": rate}
            for d in (16, 128)
            for arm in (*THREE, "1/8")
            for rate in RATES
        ],
        seeds=3,
        fixed=ADAM,
        agreement=None,
    ),
    Experiment(
        name="language_later",
        purpose="1/√d at its best rate, then trained on with the division kept or dropped",
        run=run_later,
        rows=[{}],
        seeds=3,
        agreement=None,
    ),
)
