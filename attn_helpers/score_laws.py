"""Laws of a (query, key) pair whose 2d components are all independent.

Every law of a pair, here and in `score_dependence`, has ``sample(rng, rows, d)``, which returns a
query and a key of shape ``(rows, d)`` in float64, and ``moments(d)``, the closed form for q·k.
Laws whose query and key are independent also have ``sample_query``, ``sample_key`` and
``row_variance``.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from attn_helpers._validate import finite, positive_int
from attn_helpers.scores import Component, Moments, independent_score_moments

Float64Array = NDArray[np.float64]


class ScoreLaw(Protocol):
    """A joint law of query and key."""

    def sample(
        self, rng: np.random.Generator, rows: int, d: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``."""
        ...

    def moments(self, d: int) -> Moments:
        """Return mean, variance and kurtosis of q·k."""
        ...


@runtime_checkable
class IndependentPairLaw(Protocol):
    """A law whose query and key are independent of one another."""

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        ...

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``."""
        ...

    def row_variance(self, d: int) -> float:
        """Return E[Var(q·k | q)]."""
        ...


class IndependentPair:
    """What laws with independent query and key share: a pair is a draw of each."""

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        raise NotImplementedError

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``."""
        raise NotImplementedError

    def sample(
        self, rng: np.random.Generator, rows: int, d: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return `rows` independent pairs: query and key, each ``(rows, d)``, float64."""
        return self.sample_query(rng, rows, d), self.sample_key(rng, rows, d)


class IndependentComponents(IndependentPair):
    """What laws with 2d independent components share; a law gives its two components."""

    @property
    def query_component(self) -> Component:
        """Moments of one component of the query."""
        raise NotImplementedError

    @property
    def key_component(self) -> Component:
        """Moments of one component of the key."""
        return self.query_component

    def moments(self, d: int) -> Moments:
        """Return the exact mean, variance and kurtosis of q·k (`independent_score_moments`)."""
        return independent_score_moments(self.query_component, self.key_component, d)

    def row_variance(self, d: int) -> float:
        """Return the expected variance within a row of scores: one query, many keys.

        E[Var(q·k | q)] = d·σk²·E[q_i²]. The rest of the total variance, d·μk²·σq², shifts the
        whole row alike, and softmax ignores it. Uniform(0, 1): 7/144 in all, 1/36 in the row,
        1/48 in the shift (each times d).
        """
        d = positive_int(d, "d")
        return d * self.key_component.variance * self.query_component.second_raw


@dataclass(frozen=True)
class Gaussian(IndependentComponents):
    """Components N(mean, std²); the key's default to the query's.

    Vaswani et al. (2017), footnote 4, with mean 0 and std 1: then Var(q·k) = d.

    Examples
    --------
    >>> Gaussian().moments(64)
    Moments(mean=0.0, variance=64.0, kurtosis=3.09375)
    >>> query, key = Gaussian(key_std=2.0).sample(np.random.default_rng(0), rows=5, d=3)
    >>> query.shape, key.shape
    ((5, 3), (5, 3))
    """

    mean: float = 0.0
    std: float = 1.0
    key_mean: float | None = None
    key_std: float | None = None

    def __post_init__(self) -> None:
        finite(self.mean, "mean")
        finite(self.std, "std", low=0)
        if self.key_mean is not None:
            finite(self.key_mean, "key_mean")
        if self.key_std is not None:
            finite(self.key_std, "key_std", low=0)

    def _key_parameters(self) -> tuple[float, float]:
        mean = self.mean if self.key_mean is None else self.key_mean
        return mean, self.std if self.key_std is None else self.key_std

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        return rng.normal(self.mean, self.std, (rows, d))

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``."""
        return rng.normal(*self._key_parameters(), (rows, d))

    @property
    def query_component(self) -> Component:
        """Moments of one component of the query."""
        return _gaussian_component(self.mean, self.std)

    @property
    def key_component(self) -> Component:
        """Moments of one component of the key."""
        return _gaussian_component(*self._key_parameters())


def _gaussian_component(mean: float, std: float) -> Component:
    return Component(mean, std**2, third=0.0, fourth=3 * std**4)


@dataclass(frozen=True)
class Uniform(IndependentComponents):
    """Components uniform between low and high (finite, low <= high).

    Examples
    --------
    >>> law = Uniform(0.0, 1.0)
    >>> round(law.moments(1).variance * 144, 9), round(law.row_variance(1) * 36, 9)
    (7.0, 1.0)
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        finite(self.low, "low")
        finite(self.high, "high")
        if self.low > self.high:
            raise ValueError(f"low must not exceed high, got low = {self.low}, high = {self.high}")

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        return rng.uniform(self.low, self.high, (rows, d))

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``, drawn as the queries are."""
        return self.sample_query(rng, rows, d)

    @property
    def query_component(self) -> Component:
        """Moments of one component, width²/12 and width⁴/80."""
        width = self.high - self.low
        return Component((self.low + self.high) / 2, width**2 / 12, 0.0, width**4 / 80)


@dataclass(frozen=True)
class Rademacher(IndependentComponents):
    """Components +1 or -1 with probability 1/2 each.

    Examples
    --------
    >>> Rademacher().moments(4)
    Moments(mean=0.0, variance=4.0, kurtosis=2.5)
    """

    def sample_query(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent queries, ``(rows, d)``."""
        return random_signs(rng, (rows, d))

    def sample_key(self, rng: np.random.Generator, rows: int, d: int) -> Float64Array:
        """Return `rows` independent keys, ``(rows, d)``, drawn as the queries are."""
        return self.sample_query(rng, rows, d)

    @property
    def query_component(self) -> Component:
        """Moments of one component."""
        return Component(mean=0.0, variance=1.0, third=0.0, fourth=1.0)


def random_signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Float64Array:
    """Return independent fair signs ±1.0."""
    signs = rng.integers(0, 2, shape, dtype=np.int8).astype(np.float64)
    signs *= 2
    signs -= 1
    return signs
