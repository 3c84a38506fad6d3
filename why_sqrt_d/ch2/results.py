"""The numbers that chapter 2 quotes, and predicted against measured moments of laws."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from attn_helpers import initialisation
from attn_helpers.attention import split_heads
from attn_helpers.checks import FloatArray
from attn_helpers.laws import Aligned, Correlated, Gaussian, IndependentPairLaw, ScoreLaw
from attn_helpers.sampling import gaussian_score_pdf, simulate_scores
from attn_helpers.saturation import query_lengths
from attn_helpers.scores import Moments, score_statistics

Draw = Callable[[np.random.Generator, int, int], tuple[FloatArray, FloatArray]]


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


BROKEN: dict[str, ScoreLaw] = {
    "the same correlation 0.4 inside both": Correlated(0.4),
    "standard deviation 1.7": Gaussian(std=1.7),
    "mean 1.2": Gaussian(mean=1.2),
    "fading correlation 0.6, 0.36, … inside both": Fading(0.6),
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

    >>> from math import exp
    >>> round(tail_ratio(2) * erfc(4 / sqrt(2)) * exp(4 * sqrt(2)), 6)  # Laplace: exp(-√2·4)
    1.0
    """
    x = np.linspace(limit, 40, 200_001)
    density = sqrt(d) * gaussian_score_pdf(x * sqrt(d), d)
    return float(2 * np.trapezoid(density, x) / erfc(limit / sqrt(2)))


class Mixture(NamedTuple):
    """Densities of q·k/√d at m places: over all rows (m,), and over rows of one query each."""

    every: FloatArray
    single: FloatArray  #: (3, m): a query shorter than 95 % of all, the median, a longer one
    tail: float  #: how much likelier than a normal variable q·k is beyond four deviations


def one_query_and_all(dims: Sequence[int], x: FloatArray) -> dict[int, Mixture]:
    """Return the densities of q·k/√d at `x` (m,) for independent standard normal components.

    The quantiles of the queries' lengths are those of 20 000 draws.
    """
    found = {}
    for d in dims:
        drawn = query_lengths(d, 20_000, np.random.default_rng(d)) / sqrt(d)
        width = np.quantile(drawn, [0.05, 0.5, 0.95])[:, None]
        single = np.exp(-((x / width) ** 2) / 2) / (width * sqrt(2 * np.pi))
        every = sqrt(d) * gaussian_score_pdf(x * sqrt(d), d)
        found[d] = Mixture(every, single, tail_ratio(d))
    return found


def exact_law(scores: FloatArray) -> dict[str, float]:
    """Return how often q·k is beyond four deviations, over the normal law's, and its kurtosis.

    `scores` (rows,) are drawn at d = 64.
    """
    return {
        **{f"tail_{d}": tail_ratio(d) for d in (2, 8, 64)},
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
        "init_gpt2": predicted["GPT-2"],
        "init_off": np.ceil(1000 * worst) / 10,
    }


def row_spread(cosines: Mapping[str, float], seeds: int) -> dict[str, float]:
    """Return the standard deviation of logits within a row, for tokens that resemble one another.

    One number for each name in `cosines`, the cosine between two tokens, averaged over `seeds`
    draws of 256 normalised tokens and of a layer of width 768 with twelve heads that starts with
    Xavier's square matrices: over all rows, all pairs and all draws the formula gives one.
    """
    return {
        name: sqrt(np.mean([_row_variance(c, np.random.default_rng(s)) for s in range(seeds)]))
        for name, c in cosines.items()
    }


def _row_variance(cosine: float, rng: np.random.Generator, tokens: int = 256) -> float:
    """Return the mean over the rows of the variance of one row's logits."""
    width, heads = 768, 12
    common = rng.standard_normal(width)
    x = sqrt(cosine) * common + sqrt(1 - cosine) * rng.standard_normal((tokens, width))
    x = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    weights = rng.uniform(-1, 1, (2, width, width)) * sqrt(3 / width)
    query, key = (split_heads(x @ w, heads) for w in weights)
    logits = query @ key.swapaxes(-1, -2) / sqrt(width // heads)
    others = logits[:, ~np.eye(tokens, dtype=bool)].reshape(heads, tokens, tokens - 1)
    return float(others.var(axis=-1).mean())
