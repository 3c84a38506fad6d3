"""Exact moments of q·k by enumerating a finite law in rational arithmetic: no rounding, no chance.

A law is an iterable of outcomes ``(probability, query, key)``: a Fraction and two tuples of
integers or Fractions.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from attn_helpers._checks import positive_int

Rational = int | Fraction
Vector = tuple[Rational, ...]
Outcome = tuple[Fraction, Vector, Vector]
Matrix = tuple[tuple[Fraction, ...], ...]

MAX_OUTCOMES = 2_000_000


@dataclass(frozen=True)
class ExactMoments:
    """Mean, variance and kurtosis (E[(s - E s)⁴]/Var², None if the variance is zero)."""

    mean: Fraction
    variance: Fraction
    kurtosis: Fraction | None


@dataclass(frozen=True)
class ComponentCovariances:
    """Covariance matrices of the components, entry [i][j], as nested tuples of Fractions."""

    query_key: Matrix
    query: Matrix
    key: Matrix

    def largest(self) -> Fraction:
        """Return the largest absolute covariance between two different components of q and k."""
        within = (
            matrix[i][j]
            for matrix in (self.query, self.key)
            for i in range(len(matrix))
            for j in range(i)
        )
        between = (entry for row in self.query_key for entry in row)
        return max(map(abs, (*within, *between)))


def exact_score_law(outcomes: Iterable[Outcome]) -> dict[Rational, Fraction]:
    """Return the law of q·k, {score: probability}.

    Parameters
    ----------
    outcomes : iterable of (probability, query, key)
        Probabilities are non-negative integers or Fractions that sum to exactly 1.

    Returns
    -------
    dict
        Each score that has positive probability, smallest first.

    Raises
    ------
    TypeError
        If a probability is not an integer or a Fraction.
    ValueError
        If a probability is negative, a query and key differ in length, or the sum is not 1.

    Examples
    --------
    >>> fair = {-1: Fraction(1, 2), 1: Fraction(1, 2)}
    >>> exact_score_law(independent_outcomes(fair, d=2))
    {-2: Fraction(1, 4), 0: Fraction(1, 2), 2: Fraction(1, 4)}
    """
    # Counting equal (probability, score) first leaves few of the slow Fraction additions.
    counts: dict[tuple[int, int, Rational], int] = {}
    for probability, query, key in outcomes:
        _check_outcome(probability, query, key)
        score = sum(q * k for q, k in zip(query, key, strict=True))
        index = (probability.numerator, probability.denominator, score)
        counts[index] = counts.get(index, 0) + 1
    law: dict[Rational, Fraction] = {}
    for (numerator, denominator, score), count in counts.items():
        if numerator:
            law[score] = law.get(score, Fraction()) + Fraction(count * numerator, denominator)
    _check_total(sum(law.values(), Fraction()))
    return dict(sorted(law.items()))


def exact_score_moments(outcomes: Iterable[Outcome]) -> ExactMoments:
    """Return the exact mean, variance and kurtosis of q·k.

    Parameters
    ----------
    outcomes : iterable of (probability, query, key)
        As for `exact_score_law`.

    Returns
    -------
    ExactMoments
        Fractions.

    Raises
    ------
    TypeError, ValueError
        As `exact_score_law`.

    Examples
    --------
    >>> exact_score_moments(shared_sign_outcomes(4)).variance
    Fraction(16, 1)
    """
    law = exact_score_law(outcomes)
    mean = sum((p * s for s, p in law.items()), Fraction())
    second = sum((p * (s - mean) ** 2 for s, p in law.items()), Fraction())
    fourth = sum((p * (s - mean) ** 4 for s, p in law.items()), Fraction())
    return ExactMoments(mean, second, fourth / second**2 if second else None)


def component_covariances(outcomes: Iterable[Outcome]) -> ComponentCovariances:
    """Return the exact covariances between the components of query and key.

    Parameters
    ----------
    outcomes : iterable of (probability, query, key)
        As for `exact_score_law`.

    Returns
    -------
    ComponentCovariances
        ``query_key[i][j]`` = Cov(q_i, k_j), ``query[i][j]`` = Cov(q_i, q_j),
        ``key[i][j]`` = Cov(k_i, k_j).

    Raises
    ------
    TypeError, ValueError
        As `exact_score_law`.

    Examples
    --------
    >>> component_covariances(shared_sign_outcomes(1)).query_key
    ((Fraction(0, 1),),)
    """
    means: dict[int, Fraction] = {}
    products: dict[tuple[int, int], Fraction] = {}
    total, d = Fraction(), 0
    for probability, query, key in outcomes:
        _check_outcome(probability, query, key)
        total, d = total + probability, len(query)
        both = (*query, *key)
        for i, x in enumerate(both):
            if x:
                means[i] = means.get(i, Fraction()) + probability * x
                for j, y in enumerate(both[: i + 1]):
                    products[i, j] = products.get((i, j), Fraction()) + probability * x * y
    _check_total(total)
    zero = Fraction()

    def covariance(i: int, j: int) -> Fraction:
        raw = products.get((max(i, j), min(i, j)), zero)
        return raw - means.get(i, zero) * means.get(j, zero)

    def matrix(rows: range, columns: range) -> Matrix:
        return tuple(tuple(covariance(i, j) for j in columns) for i in rows)

    q, k = range(d), range(d, 2 * d)
    return ComponentCovariances(matrix(q, k), matrix(q, q), matrix(k, k))


def independent_outcomes(component_law: Mapping[Rational, Rational], d: int) -> Iterator[Outcome]:
    """Enumerate q and k with 2d independent components of one law.

    Parameters
    ----------
    component_law : mapping
        {value: probability} of one component; probabilities sum to 1.
    d : int
        Head dimension; there are ``len(component_law) ** (2 * d)`` outcomes.

    Returns
    -------
    iterator of (probability, query, key)
        For `exact_score_moments` and `component_covariances`; good for one pass.

    Raises
    ------
    TypeError
        If `d` is not an integer.
    ValueError
        If `d` is not positive or there are more than 2 000 000 outcomes.

    Examples
    --------
    >>> fair = {-1: Fraction(1, 2), 1: Fraction(1, 2)}
    >>> exact_score_moments(independent_outcomes(fair, d=3)).variance
    Fraction(3, 1)
    """
    d = positive_int(d, "d")
    _check_count(len(component_law) ** (2 * d))
    values, probabilities = tuple(component_law), tuple(component_law.values())
    pairs = zip(product(values, repeat=2 * d), product(probabilities, repeat=2 * d), strict=True)
    return ((Fraction(prod(ps)), xs[:d], xs[d:]) for xs, ps in pairs)


def shared_sign_outcomes(d: int) -> Iterator[Outcome]:
    """Enumerate q_i = ±1 and k = t·q with one fair sign t (see `SharedSign`).

    Parameters
    ----------
    d : int
        Head dimension; there are ``2 ** (d + 1)`` outcomes.

    Returns
    -------
    iterator of (probability, query, key)
        Every component covariance is zero off the diagonal, and Var(q·k) = d².

    Raises
    ------
    TypeError, ValueError
        As `independent_outcomes`.

    Examples
    --------
    >>> len(list(shared_sign_outcomes(3)))
    16
    """
    d = positive_int(d, "d")
    _check_count(2 ** (d + 1))
    p = Fraction(1, 2 ** (d + 1))
    return ((p, q, tuple(t * x for x in q)) for q in product((-1, 1), repeat=d) for t in (-1, 1))


def shared_magnitude_outcomes(d: int, magnitude: Rational = 2) -> Iterator[Outcome]:
    """Enumerate q_i = r_i s_i, k_i = r_i s'_i with shared r_i (see `SharedMagnitude`).

    Parameters
    ----------
    d : int
        Head dimension; there are ``5 ** d`` outcomes.
    magnitude : int or Fraction
        r_i is this m >= 1 with probability 1/m² and otherwise 0, so that E r_i² = 1.

    Returns
    -------
    iterator of (probability, query, key)
        Every component covariance is zero off the diagonal, and Var(q·k) = d·m².

    Raises
    ------
    TypeError, ValueError
        As `independent_outcomes`; ValueError if `magnitude` is below 1.

    Examples
    --------
    >>> exact_score_moments(shared_magnitude_outcomes(3)).variance
    Fraction(12, 1)
    """
    d, m = positive_int(d, "d"), magnitude
    if m < 1:
        raise ValueError(f"magnitude must be at least 1, got {m}")
    _check_count(5**d)
    present = Fraction(1) / (m * m)
    one: list[tuple[Fraction, Rational, Rational]] = [(1 - present, 0, 0)]
    one += [(present / 4, s * m, t * m) for s in (-1, 1) for t in (-1, 1)]
    triples = (tuple(zip(*chosen, strict=True)) for chosen in product(one, repeat=d))
    return ((prod(ps, start=Fraction(1)), qs, ks) for ps, qs, ks in triples)


def _check_outcome(probability: Rational, query: Vector, key: Vector) -> None:
    if not isinstance(probability, (int, Fraction)):
        raise TypeError(f"probability must be an int or a Fraction, got {probability!r}")
    if probability < 0:
        raise ValueError(f"probability must not be negative, got {probability}")
    if len(query) != len(key):
        raise ValueError(f"query has {len(query)} components but key has {len(key)}")


def _check_total(total: Fraction) -> None:
    if total != 1:
        raise ValueError(f"probabilities must sum to 1, got {total}")


def _check_count(count: int) -> None:
    if count > MAX_OUTCOMES:
        raise ValueError(f"{count} outcomes are too many to enumerate (limit {MAX_OUTCOMES})")
