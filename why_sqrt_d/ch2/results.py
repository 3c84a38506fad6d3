"""Predicted against measured moments for a series of laws."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attn_helpers._checks import FloatArray
from attn_helpers.laws import ScoreLaw
from attn_helpers.sampling import simulate_scores
from attn_helpers.scores import score_statistics


class Comparison(NamedTuple):
    """One moment for each law: closed form, estimate, and the estimate's standard error."""

    predicted: FloatArray
    measured: FloatArray
    error: FloatArray


class ScoreComparison(NamedTuple):
    """E[q·k]/√d and Var(q·k)/d for each law: the moments of the scaled score."""

    mean: Comparison
    variance: Comparison


def compare_scores(
    laws: Sequence[ScoreLaw], d: int, rows: int, rng: np.random.Generator
) -> ScoreComparison:
    """Return mean and variance of q·k/√d, as each law's closed form says and as simulated.

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
    ScoreComparison
        Two comparisons of three arrays of shape ``(len(laws),)``, float64.

    Raises
    ------
    TypeError, ValueError
        As `simulate_scores`; ValueError if there is no law.

    Examples
    --------
    >>> from attn_helpers import Gaussian
    >>> laws = [Gaussian(mean=0.0), Gaussian(mean=1.0)]
    >>> found = compare_scores(laws, d=16, rows=100, rng=np.random.default_rng(0))
    >>> found.mean.predicted, found.variance.predicted
    (array([0., 4.]), array([1., 3.]))
    """
    if not laws:
        raise ValueError("compare_scores needs at least one law, got none")
    exact = [law.moments(d) for law in laws]
    found = [score_statistics(simulate_scores(law, d, rows, rng)) for law in laws]
    mean = np.array([(e.mean, f.mean, f.mean_se) for e, f in zip(exact, found, strict=True)])
    variance = np.array(
        [(e.variance, f.variance, f.variance_se) for e, f in zip(exact, found, strict=True)]
    )
    return ScoreComparison(Comparison(*(mean / np.sqrt(d)).T), Comparison(*(variance / d).T))
