"""Laws of a (query, key) pair: how queries and keys can be drawn, and what follows for q·k.

Every law has ``sample(rng, rows, d)``, which returns a query and a key of shape ``(rows, d)`` in
float64, and ``moments(d)``, the closed form for q·k. Laws whose query and key are independent of
one another draw them alone, too: ``sample_query`` and ``sample_key``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from attn_helpers.checks import FloatArray, finite, positive_int
from attn_helpers.scores import Moments


class ScoreLaw:
    """A joint law of query and key."""

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return independent queries; TypeError if the key depends on the query.

        Parameters
        ----------
        rng : numpy.random.Generator
        rows, d : int
            How many, and the head dimension.

        Returns
        -------
        ndarray
            Shape ``(rows, d)``, float64.
        """
        raise TypeError(f"a row of keys needs independent query and key, got {self!r}")

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return `rows` independent keys, ``(rows, d)``, drawn as the queries are."""
        return self.sample_query(rng, rows, d)

    def sample(self, rng: np.random.Generator, rows: int, d: int) -> tuple[FloatArray, FloatArray]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``."""
        return self.sample_query(rng, rows, d), self.sample_key(rng, rows, d)

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        raise NotImplementedError


def _independent_moments(mean: float, variance: float, fourth: float, d: int) -> Moments:
    """Return the moments of q·k with 2d independent components of one law, symmetric about `mean`.

    `variance` and `fourth` are a component's central moments. With μ the mean and u, v the centred
    components, a product is μ² + μu + μv + uv, whose variance is σ²(σ² + 2μ²): Goodman (1960), "On
    the Exact Variance of Products", JASA 55(292). In the fourth moment of μu + μv + uv stand the
    terms with even powers of u and of v: none is a difference of large numbers.
    """
    d, square = positive_int(d, "d"), mean**2
    one = variance * (variance + 2 * square)
    four = (
        fourth * (fourth + 2 * square**2 + 12 * square * variance) + 6 * (square * variance) ** 2
    )
    return Moments(d * square, d * one, 3 + (four / one**2 - 3) / d if one else nan)


@dataclass(frozen=True)
class Gaussian(ScoreLaw):
    """Components N(mean, std²).

    Vaswani et al. (2017), footnote 4, with mean 0 and std 1: then Var(q·k) = d.

    Parameters
    ----------
    mean : float
        Of a component.
    std : float
        Standard deviation of a component, >= 0.

    Examples
    --------
    >>> Gaussian().moments(64)
    Moments(mean=0.0, variance=64.0, kurtosis=3.09375)
    """

    mean: float = 0.0
    std: float = 1.0

    def __post_init__(self) -> None:
        finite(self.mean, "mean")
        finite(self.std, "std", low=0)

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return `rows` independent queries, ``(rows, d)``."""
        return rng.normal(self.mean, self.std, (rows, d))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        return _independent_moments(self.mean, self.std**2, 3 * self.std**4, d)


@dataclass(frozen=True)
class Uniform(ScoreLaw):
    """Components uniform between low and high.

    Parameters
    ----------
    low, high : float
        Finite, low <= high.

    Examples
    --------
    >>> round(Uniform(0.0, 1.0).moments(1).variance * 144, 9)
    7.0
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        finite(self.low, "low")
        finite(self.high, "high")
        if self.low > self.high:
            raise ValueError(f"low must not exceed high, got low = {self.low}, high = {self.high}")

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return `rows` independent queries, ``(rows, d)``."""
        return rng.uniform(self.low, self.high, (rows, d))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        width = self.high - self.low
        return _independent_moments((self.low + self.high) / 2, width**2 / 12, width**4 / 80, d)


def _random_signs(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Return independent fair signs ±1.0."""
    return 2.0 * rng.integers(0, 2, shape, dtype=np.int8) - 1.0


@dataclass(frozen=True)
class Correlated(ScoreLaw):
    """Gaussian q and k, independent of one another, each with equicorrelated components.

    With Σ the covariance of q and Σ' that of k, Var(q·k) = tr(Σ Σ') = d + d(d - 1)·rho·key_rho,
    and the kurtosis is 3 + 6 tr((ΣΣ')²)/tr(ΣΣ')², because q·k given q is N(0, qᵀΣ'q).

    Parameters
    ----------
    rho : float
        Corr(q_i, q_j) for i ≠ j, in [-1/(d - 1), 1].
    key_rho : float, optional
        Corr(k_i, k_j), likewise; rho if left out.

    Examples
    --------
    >>> Correlated(0.5).moments(64).variance
    1072.0
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

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
        """Return `rows` independent queries, ``(rows, d)``."""
        return _equicorrelated(rng, rows, d, self._rhos(d)[0])

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> FloatArray:
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
        return Moments(0.0, float(variance), 3 + 6 * squares / variance**2 if variance else nan)


def _equicorrelated(rng: np.random.Generator, rows: int, d: int, rho: float) -> FloatArray:
    """Return N(0, (1 - rho) I + rho 11ᵀ) rows: a·x + b·mean(x) with (a + b)² = 1 + (d - 1)rho."""
    x = rng.standard_normal((rows, d))
    a = sqrt(1 - rho)
    b = sqrt(1 + (d - 1) * rho) - a
    return a * x + b * x.mean(axis=1, keepdims=True)


@dataclass(frozen=True)
class Aligned(ScoreLaw):
    """Jointly Gaussian pairs (q_i, k_i), independent over i: a trained query aligned with its key.

    E[q·k] = rho·d and Var(q·k) = d(1 + rho²). Each product is ((1 + rho)A² - (1 - rho)B²)/2 with
    independent standard normal A and B, whose fourth cumulant 6(1 + 6rho² + rho⁴) gives the
    kurtosis.

    Parameters
    ----------
    rho : float
        Corr(q_i, k_i), in [-1, 1].

    Examples
    --------
    >>> Aligned(0.5).moments(64)
    Moments(mean=32.0, variance=80.0, kurtosis=3.15375)
    """

    rho: float

    def __post_init__(self) -> None:
        finite(self.rho, "rho", low=-1, high=1)

    def sample(self, rng: np.random.Generator, rows: int, d: int) -> tuple[FloatArray, FloatArray]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``."""
        query = rng.standard_normal((rows, d))
        return query, self.rho * query + sqrt(1 - self.rho**2) * rng.standard_normal((rows, d))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        d, square = positive_int(d, "d"), self.rho**2
        kurtosis = 3 + 6 * (1 + 6 * square + square**2) / (d * (1 + square) ** 2)
        return Moments(d * self.rho, d * (1 + square), kurtosis)


@dataclass(frozen=True)
class SharedMagnitude(ScoreLaw):
    """q_i = r_i s_i and k_i = r_i s'_i: one magnitude r_i, two independent fair signs.

    E r_i² = 1, so components have mean 0 and variance 1, and every covariance between two of the
    2d components is zero; yet Var(q·k) = d·E[r⁴].

    Parameters
    ----------
    p : float, optional
        In (0, 1]: r is 1/sqrt(p) with probability p and otherwise 0, and E r⁴ = 1/p. Left out, r =
        abs(N(0, 1)): each component alone is exactly standard normal, and E r⁴ = 3.

    Examples
    --------
    >>> SharedMagnitude().moments(64).variance, SharedMagnitude(p=0.25).moments(64).variance
    (192.0, 256.0)
    """

    p: float | None = None

    def __post_init__(self) -> None:
        if self.p is not None and finite(self.p, "p", low=0, high=1) == 0:
            raise ValueError(f"p must be above 0, got {self.p!r}")

    def sample(self, rng: np.random.Generator, rows: int, d: int) -> tuple[FloatArray, FloatArray]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``."""
        if self.p is None:
            query: FloatArray = rng.standard_normal(
                (rows, d)
            )  # |N(0, 1)| with its sign already drawn
        else:
            query = _random_signs(rng, (rows, d)) * (rng.random((rows, d)) < self.p) / sqrt(self.p)
        # s' = s·(a fresh sign) is again fair and independent of s.
        return query, query * _random_signs(rng, (rows, d))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        d = positive_int(d, "d")
        # E r⁴ and E r⁸: 3 and 105 for |N(0, 1)|, 1/p and 1/p³ for two points.
        fourth, eighth = (3.0, 105.0) if self.p is None else (1 / self.p, self.p**-3)
        return Moments(0.0, d * fourth, 3 + (eighth / fourth**2 - 3) / d)


@dataclass(frozen=True)
class SharedSign(ScoreLaw):
    """q_i = ±1 fair and independent, k = t·q with one fair sign t: q·k = ±d.

    Any two of the 2d components are uncorrelated (even pairwise independent), yet
    Var(q·k) = d², d times what independent signs give.

    >>> SharedSign().moments(64).variance
    4096.0
    """

    def sample(self, rng: np.random.Generator, rows: int, d: int) -> tuple[FloatArray, FloatArray]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``."""
        query = _random_signs(rng, (rows, d))
        return query, query * _random_signs(rng, (rows, 1))

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k."""
        return Moments(0.0, float(positive_int(d, "d") ** 2), 1.0)
