"""Predicted against measured variance for a series of laws."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attn_helpers.score_laws import Float64Array, ScoreLaw
from attn_helpers.score_simulation import simulate_scores
from attn_helpers.scores import score_statistics


class VarianceRatios(NamedTuple):
    """Var(q·k)/d for each law: closed form, estimate, and the estimate's standard error."""

    predicted: Float64Array
    measured: Float64Array
    error: Float64Array


def variance_ratios(
    laws: Sequence[ScoreLaw], d: int, rows: int, rng: np.random.Generator
) -> VarianceRatios:
    """Return Var(q·k)/d as each law's closed form says and as a simulation finds it.

    Parameters
    ----------
    laws : sequence of ScoreLaw
        At least one.
    d, rows : int
        Head dimension, and simulated pairs for each law.
    rng : numpy.random.Generator
        Source of randomness, used law after law.

    Returns
    -------
    VarianceRatios
        Three arrays of shape ``(len(laws),)``, float64.

    Raises
    ------
    TypeError, ValueError
        As `simulate_scores`; ValueError if there is no law.

    Examples
    --------
    >>> from attn_helpers import Gaussian
    >>> laws = [Gaussian(mean=0.0), Gaussian(mean=1.0)]
    >>> variance_ratios(laws, d=16, rows=100, rng=np.random.default_rng(0)).predicted
    array([1., 3.])
    """
    if not laws:
        raise ValueError("variance_ratios needs at least one law, got none")
    found = [score_statistics(simulate_scores(law, d, rows, rng)) for law in laws]
    return VarianceRatios(
        np.array([law.moments(d).variance for law in laws]) / d,
        np.array([statistics.variance for statistics in found]) / d,
        np.array([statistics.variance_se for statistics in found]) / d,
    )
