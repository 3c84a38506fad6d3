"""The numbers that chapter 2 quotes, and predicted against measured moments of laws."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attn_helpers._checks import FloatArray
from attn_helpers.laws import Aligned, Gaussian, ScoreLaw
from attn_helpers.sampling import simulate_scores
from attn_helpers.scores import ScoreStatistics, score_statistics


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

    The two comparisons have arrays of shape ``(len(laws),)``, from `rows` pairs of dimension `d`
    for each law; `rng` is used law after law.

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


def puzzle(stats: Mapping[str, ScoreStatistics]) -> dict[str, float]:
    """Return the variances of q·k under the three laws of the puzzle."""
    return {
        "var_independent": stats["Independent"].variance,
        "var_magnitude": stats["Shared magnitude"].variance,
        "var_sign": stats["Shared sign"].variance,
    }


def one_sided(found: ScoreStatistics) -> dict[str, float]:
    """Return the variance when all components of q are equal, with its standard error."""
    return {"one_sided": found.variance, "one_sided_error": found.variance_se}


def exact_law(tails: Mapping[int, float], scores: FloatArray) -> dict[str, float]:
    """Return how often q·k is beyond four deviations, over the normal law's, and its kurtosis.

    `tails` maps d to that ratio, `scores` (rows,) are drawn at d = 64.
    """
    return {
        **{f"tail_{d}": tails[d] for d in (2, 8, 64)},
        "kurtosis_64": Gaussian().moments(64).kurtosis or np.nan,
        "kurtosis_64_measured": score_statistics(scores).kurtosis,
    }


def dials(shown: Sequence[Comparison], d: int) -> dict[str, float]:
    """Return where the first and the third dial end, and how far the worst point is off.

    In standard errors, rounded up to a tenth. The last two numbers are mean and standard deviation
    of q·k/√d where each pair of components has the correlation 1/2.
    """
    worst = max(np.max(np.abs(one.measured - one.predicted) / one.error) for one in shown)
    aligned = Aligned(0.5).moments(d)
    return {
        "worst": np.ceil(10 * worst) / 10,
        "mean_one": shown[0].predicted[-1],
        "correlation_04": shown[2].predicted[-1],
        "aligned_mean": aligned.mean / np.sqrt(d),
        "aligned_std": np.sqrt(aligned.variance / d),
    }


def initialisations(
    predicted: Mapping[str, float], measured: Mapping[str, FloatArray]
) -> dict[str, float]:
    """Return logits' standard deviations at the start of training.

    `init_off` is the largest distance of a measurement (seeds,) from what is predicted, in per
    cent, rounded up to a tenth.
    """
    worst = max(np.max(np.abs(measured[name] / predicted[name] - 1)) for name in measured)
    return {
        "init_fused": predicted["Xavier, fused q, k, v"],
        "init_linear": predicted["nn.Linear default"],
        "init_gpt2": predicted["GPT-2"],
        "init_off": np.ceil(1000 * worst) / 10,
    }
