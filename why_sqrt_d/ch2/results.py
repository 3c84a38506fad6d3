"""The numbers that chapter 2 quotes, and predicted against measured moments of laws."""

from collections.abc import Callable, Mapping, Sequence
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from attn_helpers import initialisation
from attn_helpers._checks import FloatArray
from attn_helpers.laws import Aligned, Correlated, Gaussian, ScoreLaw
from attn_helpers.sampling import gaussian_score_pdf, simulate_scores
from attn_helpers.scores import score_statistics

Draw = Callable[[np.random.Generator, int, int], tuple[FloatArray, FloatArray]]

BROKEN: dict[str, ScoreLaw] = {
    "correlation 0.4 inside both": Correlated(0.4),
    "standard deviation 1.5": Gaussian(std=1.5),
    "mean 1": Gaussian(mean=1.0),
    "alignment 0.5": Aligned(0.5),
    "correlation 0.4 inside q only": Correlated(0.4, 0.0),
}  #: each law breaks one assumption of "Var(q·k) = d"


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


def broken_assumptions(
    dims: Sequence[int], rows: int, rng: np.random.Generator
) -> dict[str, Comparison]:
    """Return Var(q·k)/d over `dims` for each law of `BROKEN`, arrays ``(len(dims),)``."""
    found = [compare_scores(list(BROKEN.values()), d, rows, rng).variance for d in dims]
    return {
        name: Comparison(
            *(np.array([moment[i] for moment in one]) for one in zip(*found, strict=True))
        )
        for i, name in enumerate(BROKEN)
    }


def shared_things(
    shared_size: Draw, shared_sign: Draw, rng: np.random.Generator
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return q_1 and k_1 of one draw, and q_1·k_1 and q_2·k_2 of the other, 2000 pairs each."""
    size_q, size_k = shared_size(rng, 2000, 1)
    sign_q, sign_k = shared_sign(rng, 2000, 2)
    products = sign_q * sign_k
    return (size_q[:, 0], size_k[:, 0]), (products[:, 0], products[:, 1])


def aligned_logits(
    dims: Sequence[int], rho: float, pairs: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return logits q·k/√d of pairs aligned by `rho` and of unrelated ones, (len(dims), pairs)."""
    laws: dict[str, ScoreLaw] = {"aligned": Aligned(rho), "unrelated": Gaussian()}
    return {
        name: np.array([simulate_scores(law, d, pairs, rng) / sqrt(d) for d in dims])
        for name, law in laws.items()
    }


def tail_ratio(d: int, limit: float = 4.0) -> float:
    """Return P(|q·k| > `limit` standard deviations) over the same for a normal variable.

    For independent standard normal components, by integrating the exact density.

    >>> round(tail_ratio(2) * erfc(4 / sqrt(2)) * np.exp(4 * sqrt(2)), 6)  # Laplace: exp(-√2·4)
    1.0
    """
    x = np.linspace(limit, 40, 200_001)
    density = sqrt(d) * gaussian_score_pdf(x * sqrt(d), d)
    return float(2 * np.trapezoid(density, x) / erfc(limit / sqrt(2)))


def exact_law(scores: FloatArray) -> dict[str, float]:
    """Return how often q·k is beyond four deviations, over the normal law's, and its kurtosis.

    `scores` (rows,) are drawn at d = 64.
    """
    return {
        **{f"tail_{d}": tail_ratio(d) for d in (2, 8, 64)},
        "kurtosis_64": Gaussian().moments(64).kurtosis or np.nan,
        "kurtosis_64_measured": score_statistics(scores).kurtosis,
    }


def initial_logits(seeds: int) -> tuple[dict[str, float], dict[str, FloatArray]]:
    """Return logits' standard deviations at the start of training, predicted and measured.

    One number and an array (seeds,) for each scheme, of a layer of GPT-2's size: width 768, twelve
    heads, tokens after layer normalisation.
    """
    schemes = initialisation.INITIALISATIONS.items()
    predicted = {name: initialisation.initial_logit_std(one, 768, 12) for name, one in schemes}
    measured = {
        name: np.array(
            [
                initialisation.measure_initial_logits(one, 768, 12, np.random.default_rng(seed))
                for seed in range(seeds)
            ]
        )
        for name, one in schemes
    }
    return predicted, measured


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
