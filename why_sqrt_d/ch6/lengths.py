"""Which scale a row of n keys needs: rows of several geometries, their gaps, and laws.

Scores are in units of sqrt(d) and scales in units of 1/sqrt(d), as in `needle`: with queries and
keys of mean square one, β = b/sqrt(d) and a logit is b·z with z = q·k/sqrt(d). The gap of a key is
how far its score lies below the row's largest.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from attn_helpers.extremes import frozen_parameter


def spherical_rows(n: int, rows: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Return scores ``(rows, n)`` of keys uniform on the sphere of mean square one.

    z = sqrt(d)·cos, where the square of the cosine with a fixed query has the law
    Beta(1/2, (d-1)/2), for `d` >= 2; only the cosine is drawn.
    """
    square = rng.beta(0.5, (d - 1) / 2, (rows, n))
    cosine: FloatArray = np.sqrt(square) * rng.choice((-1.0, 1.0), (rows, n))
    return math.sqrt(d) * cosine


def clustered_rows(
    n: int, rows: int, d: int, overlap: float, rng: np.random.Generator
) -> FloatArray:
    """Return scores ``(rows, n)`` of a cluster of keys, one of which is the query.

    Every key is sqrt(ρ)·c + sqrt(1-ρ)·ε with one centre c a row and noise ε of its own, both
    N(0, I) in `d` dimensions, so that two keys have the mean score ρ·sqrt(d), with ρ = `overlap`
    from 0 to below 1. The first key is the query itself. Given the query and c, the score of any
    other key is normal, so only these two are drawn; vectors are divided by their root mean
    square, but for that of the other keys, whose mean is one.
    """
    root, shared, own = math.sqrt(d), math.sqrt(overlap), math.sqrt(1 - overlap)
    centre, noise = rng.standard_normal((2, rows, d))
    centre *= root / np.linalg.norm(centre, axis=-1, keepdims=True)
    query = shared * centre + own * noise
    query *= root / np.linalg.norm(query, axis=-1, keepdims=True)
    mean = shared * np.sum(query * centre, axis=-1, keepdims=True) / root
    z = mean + own * rng.standard_normal((rows, n))
    z[:, 0] = root
    return z


def half_scale(scores: ArrayLike, counts: ArrayLike = 1.0) -> FloatArray:
    """Return the scale at which the best key of each row gets half of the weight.

    The b > 0 at which Σ exp(-b·gap) over the other keys of `scores` ``(..., n)`` is one; `counts`
    of the same shape says how many keys each score stands for, one for the best. The
    logarithm of the sum is convex and falls with b, so Newton's method climbs from b = 0 and never
    overshoots. Infinite where two keys share the largest score, and 0 for two keys that do not,
    whose better one has half of the weight at any b.

    >>> round(float(half_scale([2.0, 0.0, 0.0])), 4)  # ln(2)/2
    0.3466
    """
    z = np.asarray(scores)
    rows = z.reshape(-1, z.shape[-1])
    many = np.broadcast_to(counts, z.shape).reshape(rows.shape)
    below = rows.max(axis=-1, keepdims=True) - rows
    tie = np.sum(below == 0, axis=-1) > 1
    b = np.where(tie, np.inf, 0.0)
    moving = np.flatnonzero(~tie & (rows.shape[-1] > 2))
    while moving.size:
        gap = below[moving]
        powers = many[moving] * np.exp(-b[moving, None] * gap)
        rivals = powers.sum(axis=-1) - 1  # the best key itself is the 1
        step = np.log(rivals) * rivals / np.einsum("rn,rn->r", gap, powers)
        b[moving] += step
        moving = moving[step > 1e-9 * b[moving]]
    return b.reshape(z.shape[:-1])[()]


_EXACT, _GROUPS = 64, 32


def top_rows(n: int, rows: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return scores ``(rows, m)``, the largest first, and how many keys each stands for.

    Of `n` independent N(0, 1) scores the 64 largest are drawn one by one: if u is the
    j-th smallest of n uniform numbers, -ln u belongs to the j-th largest score, and the u are sums
    of exponential numbers, each over the sum of all n + 1. The others, of which none matters
    alone, stand in 32 groups as large as they are on average.
    """
    exact = min(n, _EXACT)
    arrivals = rng.exponential(size=(rows, exact)).cumsum(axis=-1)
    whole = arrivals[:, -1:] + rng.gamma(n + 1 - exact, size=(rows, 1))
    levels = np.log(whole / arrivals)
    many = np.ones((rows, exact))
    if n > exact:
        edges = levels[:, -1:] * np.linspace(1, 0, _GROUPS + 1)
        u = np.exp(-edges)
        groups = (n - exact) * np.diff(u) / (1 - u[:, :1])
        levels = np.hstack([levels, (edges[:, 1:] + edges[:, :-1]) / 2])
        many = np.hstack([many, groups])
    return normal_tail(levels), many


def normal_tail(level: FloatArray) -> FloatArray:
    """Return the t that a standard normal number exceeds with probability exp(-level).

    >>> normal_tail(-np.log([0.5, 0.025])).round(4)
    array([0.  , 1.96])
    """
    return np.interp(level, *_normal_levels())


@cache
def _normal_levels() -> tuple[FloatArray, FloatArray]:
    z = np.linspace(-9, 12, 21_001)
    return np.array([-math.log(math.erfc(value / math.sqrt(2)) / 2) for value in z]), z


def competitors(scores: ArrayLike, within: ArrayLike) -> FloatArray:
    """Return the mean number of keys whose gap is at most each of `within`, the best not counted.

    The mean is over the rows of `scores` ``(rows, n)``; `within` and the result are ``(m,)``.

    >>> competitors([[3.0, 2.5, 0.0], [3.0, 1.0, 0.0]], [1.0, 3.0])
    array([0.5, 2. ])
    """
    z = np.asarray(scores)
    below = np.sort(z.max(axis=-1, keepdims=True) - z, axis=-1)
    counts = [np.searchsorted(row, within, side="right") - 1 for row in below]
    return np.asarray(np.mean(counts, axis=0, dtype=float))


#: The share of the frozen law's parameter at which the best key has half of the weight in half of
#: the rows: sin(πm)/(πm) = 1/2.
HALF = 0.6033545644016142


def gaussian_law(n: int) -> float:
    """Return the b at which normal scores are predicted to give the best key half of the weight.

    The gaps at the top of `n` normal numbers are those of a Poisson process whose density grows
    like exp(λ·gap), λ = n φ(Φ⁻¹(1 - 1/n)), about sqrt(2 ln n). At the scale λ/m the weights follow
    the Poisson-Dirichlet law (m, 0), whose largest weight exceeds 1/2 with probability
    sin(πm)/(πm).

    >>> round(gaussian_law(4096), 2)
    6.2
    """
    return frozen_parameter(n, 1.0) / HALF


def clustered_law(n: int, d: int, overlap: float = 0.0) -> float:
    """Return the b at which a key that meets itself among `n` is predicted half of the weight.

    ln(n-1) + b²(1-ρ)/2 - b(1-ρ)·sqrt(d) = 0 with ρ = `overlap`: the other scores are normal with
    mean ρ·sqrt(d) and variance 1-ρ. Times sqrt(d) it tends to ln(n)/(1-ρ) as `d` grows; NaN where
    no scale does it.

    >>> round(clustered_law(256, 64, 0.5), 2)
    1.53
    """
    share = 2 * math.log(n - 1) / ((1 - overlap) * d)
    return math.sqrt(d) * (1 - math.sqrt(1 - share)) if share <= 1 else math.nan


@cache
def spherical_constant(power: float) -> float:
    """Return the median half scale of gaps t_i - t_1, with t_i the i-th arrival to the `power`.

    The arrivals are those of a Poisson process of rate one: 4000 of them are drawn, always the
    same, with 300 points each.
    """
    arrivals = np.random.default_rng(7).exponential(size=(4000, 300)).cumsum(axis=-1)
    return float(np.median(half_scale(-(arrivals**power))))


def spherical_law(n: int, d: int) -> float:
    """Return the b at which the nearest of uniform keys is predicted half of the weight.

    A key lies within 1 - cos <= s of the query with probability about C·s^((d-1)/2), where C
    comes from the density of the cosine; so the nearest gaps are powers 2/(d-1) of the arrivals
    of a Poisson process, divided by (n·C)^(2/(d-1)). For large `n` at a fixed `d`.

    >>> round(spherical_law(2**16, 3) / spherical_law(2**15, 3), 6)
    2.0
    """
    power = 2 / (d - 1)
    log_density = math.lgamma(d / 2) - math.lgamma((d - 1) / 2) - math.log(math.pi) / 2
    constant = math.exp(log_density + (d - 3) / 2 * math.log(2)) * power
    nearest = (n * constant) ** power
    return spherical_constant(power) * nearest / math.sqrt(d)
