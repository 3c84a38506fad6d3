"""Laws of a (query, key) pair with dependent components: where Var(q·k) = d fails, or nearly.

Every component here has mean 0 and variance 1. `SharedMagnitude` and `SharedSign` also have all
covariances between components zero, as Proposition 1 of the sources asks, and still
Var(q·k) is not d: uncorrelated is not independent.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from attn_helpers._validate import finite, positive_int
from attn_helpers.score_laws import Float64Array, IndependentPair, random_signs
from attn_helpers.scores import Moments


@dataclass(frozen=True)
class Correlated(IndependentPair):
    """Gaussian q and k, independent of one another, each with equicorrelated components.

    Corr(q_i, q_j) = rho and Corr(k_i, k_j) = key_rho (default rho) for i ≠ j, each in
    [-1/(d - 1), 1]. With Σ the covariance of q and Σ' that of k, Var(q·k) = tr(Σ Σ')
    = d + d(d - 1)·rho·key_rho, and the kurtosis is 3 + 6 tr((ΣΣ')²)/tr(ΣΣ')², because q·k given
    q is N(0, qᵀΣ'q).

    Examples
    --------
    >>> Correlated(0.5).moments(5).variance
    10.0
    """

    rho: float
    key_rho: float | None = None

    def __post_init__(self) -> None:
        finite(self.rho, "rho", low=-1, high=1)
        if self.key_rho is not None:
            finite(self.key_rho, "key_rho", low=-1, high=1)

    def _rhos(self, d: int) -> tuple[float, float]:
        """Return both correlations after checking that d components can have them."""
        d = positive_int(d, "d")
        rhos = self.rho, self.rho if self.key_rho is None else self.key_rho
        for rho in rhos:
            if 1 + (d - 1) * rho < 0:
                least = -1 / (d - 1)
                raise ValueError(f"{d} components cannot have correlation {rho} < {least:.6g}")
        return rhos

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        return _equicorrelated(rng, rows, d, self._rhos(d)[0])

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``."""
        return _equicorrelated(rng, rows, d, self._rhos(d)[1])

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        rho_q, rho_k = self._rhos(d)
        # Σ and Σ' share eigenvectors: the constant one, and d - 1 others.
        top = (1 + (d - 1) * rho_q) * (1 + (d - 1) * rho_k)
        rest = (1 - rho_q) * (1 - rho_k)
        variance = d + d * (d - 1) * rho_q * rho_k
        squares = top**2 + (d - 1) * rest**2
        kurtosis = 3 + 6 * squares / variance**2 if variance else float("nan")
        return Moments(0.0, float(variance), kurtosis)

    def row_variance(self, d: int) -> float:
        """Return E[Var(q·k | q)] = E[qᵀΣ'q]: all of Var(q·k), as the means are zero."""
        return self.moments(d).variance


def _equicorrelated(rng: np.random.Generator, rows: int, d: int, rho: float) -> Float64Array:
    """Return N(0, (1 - rho) I + rho 11ᵀ) rows: a·x + b·mean(x) with (a + b)² = 1 + (d - 1)rho."""
    x = rng.standard_normal((rows, d))
    a = sqrt(1 - rho)
    b = sqrt(1 + (d - 1) * rho) - a
    shared = b * x.mean(axis=1, keepdims=True)
    x *= a
    x += shared
    return x


@dataclass(frozen=True)
class Aligned:
    """Jointly Gaussian pairs (q_i, k_i) with correlation rho in [-1, 1], independent over i.

    E[q·k] = rho·d and Var(q·k) = d(1 + rho²): a trained query aligned with its key. Each product
    is ((1 + rho)A² - (1 - rho)B²)/2 with independent standard normal A and B, whose fourth
    cumulant 6(1 + 6rho² + rho⁴) gives the kurtosis.

    Examples
    --------
    >>> Aligned(0.5).moments(64)[:2]
    (32.0, 80.0)
    """

    rho: float

    def __post_init__(self) -> None:
        finite(self.rho, "rho", low=-1, high=1)

    def sample(
        self, rng: np.random.Generator, rows: int, d: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``, float64."""
        query = rng.standard_normal((rows, d))
        key = rng.standard_normal((rows, d))
        key *= sqrt(1 - self.rho**2)
        key += self.rho * query
        return query, key

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        d, square = positive_int(d, "d"), self.rho**2
        kurtosis = 3 + 6 * (1 + 6 * square + square**2) / (d * (1 + square) ** 2)
        return Moments(d * self.rho, d * (1 + square), kurtosis)


@dataclass(frozen=True)
class SharedMagnitude:
    """q_i = r_i s_i and k_i = r_i s'_i: one magnitude r_i, two independent fair signs.

    E r_i² = 1, so components have mean 0 and variance 1, and every covariance between two of the
    2d components is zero; yet Var(q·k) = d·E[r⁴]. With p in (0, 1], r is 1/sqrt(p) with
    probability p and otherwise 0, and E r⁴ = 1/p. With p None, r = abs(N(0, 1)): each component
    alone is exactly standard normal, and E r⁴ = 3.

    Examples
    --------
    >>> SharedMagnitude().moments(64).variance, SharedMagnitude(p=0.25).moments(64).variance
    (192.0, 256.0)
    """

    p: float | None = None

    def __post_init__(self) -> None:
        if self.p is not None and finite(self.p, "p", low=0, high=1) == 0:
            raise ValueError(f"p must be above 0, got {self.p!r}")

    def sample(
        self, rng: np.random.Generator, rows: int, d: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``, float64."""
        if self.p is None:
            query = rng.standard_normal((rows, d))  # |N(0, 1)| with its sign already drawn
        else:
            query = random_signs(rng, (rows, d))
            query *= (rng.random((rows, d)) < self.p) / sqrt(self.p)
        # s' = s·(a fresh sign) is again fair and independent of s.
        return query, query * random_signs(rng, (rows, d))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        d = positive_int(d, "d")
        # E r⁴ and E r⁸: 3 and 105 for |N(0, 1)|, 1/p and 1/p³ for two points.
        fourth, eighth = (3.0, 105.0) if self.p is None else (1 / self.p, self.p**-3)
        return Moments(0.0, d * fourth, 3 + (eighth / fourth**2 - 3) / d)


@dataclass(frozen=True)
class SharedSign:
    """q_i = ±1 fair and independent, k = t·q with one fair sign t: q·k = ±d.

    Any two of the 2d components are uncorrelated (even pairwise independent), yet
    Var(q·k) = d², d times what independent signs give.

    Examples
    --------
    >>> SharedSign().moments(64)
    Moments(mean=0.0, variance=4096.0, kurtosis=1.0)
    """

    def sample(
        self, rng: np.random.Generator, rows: int, d: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``, float64."""
        query = random_signs(rng, (rows, d))
        return query, query * random_signs(rng, (rows, 1))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        return Moments(0.0, float(positive_int(d, "d") ** 2), 1.0)
