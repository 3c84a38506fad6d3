"""The live figure of chapter 2."""

import numpy as np

from attn_helpers.laws import Correlated, Gaussian, ScoreLaw
from attn_helpers.sampling import simulate_scores
from why_sqrt_d.ch2 import figures
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture

D = 64


def still() -> Picture:
    """Return the scaled scores of three laws, two of which break an assumption."""
    rng = np.random.default_rng(1)
    laws: dict[str, ScoreLaw] = {
        "correlated inside q": Correlated(0.2, 0.0),
        "inside q and k": Correlated(0.2),
        "mean 0.5": Gaussian(0.5),
    }
    scores = {name: simulate_scores(law, D, 4000, rng) for name, law in laws.items()}
    return figures.broken({n: s / np.sqrt(D) for n, s in scores.items()})


#: The proof's assumptions, to be broken one at a time.
assumptions = LiveFigure("ch2/assumptions", still, (559, 648))
