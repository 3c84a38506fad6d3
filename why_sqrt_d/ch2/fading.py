"""A law of correlations that fade with the distance between two components."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from attn_helpers.checks import FloatArray
from attn_helpers.laws import IndependentPairLaw
from attn_helpers.scores import Moments


@dataclass(frozen=True)
class Fading(IndependentPairLaw):
    """Normal q and k, independent of one another, in each of which correlation fades.

    Components m places apart have correlation rho^m, so that Var(q·k), the sum of rho^(2|i - j|)
    over all i and j, stays below d·(1 + rho²)/(1 - rho²).
    """

    rho: float

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return `rows` independent queries, ``(rows, d)``."""
        x = rng.standard_normal((rows, d))
        x[:, 1:] *= sqrt(1 - self.rho**2)
        for i in range(1, d):
            x[:, i] += self.rho * x[:, i - 1]
        return x

    def moments(self, d: int) -> Moments:
        """Return the exact mean and variance of q·k."""
        apart = np.arange(1, d)
        variance = d + 2 * np.sum((d - apart) * self.rho ** (2.0 * apart))
        return Moments(0.0, float(variance), None)
