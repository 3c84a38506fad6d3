"""Exact moments of q·k by enumerating a finite law in rational arithmetic: no rounding, no chance.

A law is an iterable of outcomes ``(probability, query, key)``: a Fraction and two tuples of
integers or Fractions. The probabilities sum to exactly 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

from attn_helpers.checks import positive_int

Rational = int | Fraction
Vector = tuple[Rational, ...]
Outcome = tuple[Fraction, Vector, Vector]

MAX_OUTCOMES = 2_000_000


@dataclass(frozen=True)
class ExactMoments:
    """Mean, variance and kurtosis (E[(s - E s)⁴]/Var², None if the variance is zero)."""

    mean: Fraction
    variance: Fraction
    kurtosis: Fraction | None


def exact_score_moments(outcomes: Iterable[Outcome]) -> ExactMoments:
    """Return the exact mean, variance and kurtosis of q·k.

    Parameters
    ----------
    outcomes : iterable of (probability, query, key)
        A law whose probabilities sum to 1: a Fraction and two tuples of integers or Fractions.

    Returns
    -------
    ExactMoments
        Fractions.

    Examples
    --------
    >>> exact_score_moments(shared_sign_outcomes(4)).variance
    Fraction(16, 1)
    """
    # Counting equal (probability, score) first leaves few of the slow Fraction additions.
    counts: dict[tuple[Rational, Rational], int] = {}
    for probability, query, key in outcomes:
        _check_outcome(probability, query, key)
        index = probability, sum(q * k for q, k in zip(query, key, strict=True))
        counts[index] = counts.get(index, 0) + 1
    law = [(count * Fraction(p), score) for (p, score), count in counts.items()]
    _check_total(sum((p for p, _ in law), Fraction()))
    mean = sum((p * s for p, s in law), Fraction())
    second, fourth = (sum((p * (s - mean) ** k for p, s in law), Fraction()) for k in (2, 4))
    return ExactMoments(mean, second, fourth / second**2 if second else None)


def largest_covariance(outcomes: Iterable[Outcome]) -> Fraction:
    """Return the largest absolute covariance between two of the 2d components of q and k.

    Parameters
    ----------
    outcomes : iterable of (probability, query, key)
        A law, as for `exact_score_moments`.

    Returns
    -------
    Fraction
        Zero if every component is uncorrelated with every other one.

    Examples
    --------
    >>> largest_covariance(shared_sign_outcomes(3))
    Fraction(0, 1)
    """
    rows: list[tuple[Fraction, Vector]] = []
    for probability, query, key in outcomes:
        _check_outcome(probability, query, key)
        rows.append((probability, (*query, *key)))
    _check_total(sum((p for p, _ in rows), Fraction()))
    both = range(len(rows[0][1]))
    means = [sum((p * x[i] for p, x in rows if x[i]), Fraction()) for i in both]

    def covariance(i: int, j: int) -> Fraction:
        raw = sum((p * (x[i] * x[j]) for p, x in rows if x[i] and x[j]), Fraction())
        return raw - means[i] * means[j]

    return max(abs(covariance(i, j)) for i, j in combinations(both, 2))


def independent_outcomes(component_law: Mapping[Rational, Rational], d: int) -> Iterator[Outcome]:
    """Enumerate q and k with 2d independent components of one law.

    Parameters
    ----------
    component_law : mapping
        From a component's value to its probability.
    d : int
        Head dimension. There are ``len(component_law) ** (2 * d)`` outcomes, at most 2 000 000.

    Returns
    -------
    iterator of (probability, query, key)
        Good for one pass.

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
    """Enumerate q_i = ±1, k = t·q with one fair sign t.

    Every component covariance is zero off the diagonal, and Var(q·k) = d² (see `SharedSign`).

    Parameters
    ----------
    d : int
        Head dimension. There are 2^(d + 1) outcomes, at most 2 000 000.

    Returns
    -------
    iterator of (probability, query, key)
        Good for one pass.

    Examples
    --------
    >>> len(list(shared_sign_outcomes(3)))
    16
    """
    d = positive_int(d, "d")
    _check_count(2 ** (d + 1))
    p = Fraction(1, 2 ** (d + 1))
    return ((p, q, tuple(t * x for x in q)) for q in product((-1, 1), repeat=d) for t in (-1, 1))


def shared_magnitude_outcomes(d: int) -> Iterator[Outcome]:
    """Enumerate q_i = r_i s_i, k_i = r_i s'_i with shared r_i.

    r_i is 2 with probability 1/4 and otherwise 0, so that E r_i² = 1. Every component covariance
    is zero off the diagonal, and Var(q·k) = 4d (see `SharedMagnitude`).

    Parameters
    ----------
    d : int
        Head dimension. There are 5^d outcomes, at most 2 000 000.

    Returns
    -------
    iterator of (probability, query, key)
        Good for one pass.

    Examples
    --------
    >>> exact_score_moments(shared_magnitude_outcomes(3)).variance
    Fraction(12, 1)
    """
    d = positive_int(d, "d")
    _check_count(5**d)
    one = [(Fraction(3, 4), 0, 0)]
    one += [(Fraction(1, 16), q, k) for q in (-2, 2) for k in (-2, 2)]
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
