"""Scores drawn from a law, one by one or a row at a time, and their exact density."""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import BLOCK, FloatArray, as_real, generator, positive_int
from attn_helpers.laws import ScoreLaw


def simulate_scores(law: ScoreLaw, d: int, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores q·k of independent pairs.

    With ``Gaussian()`` this is the experiment of Vaswani et al. (2017), footnote 4. Besides the
    result, memory stays below about 64 MB (plus one pair).

    Parameters
    ----------
    law : ScoreLaw
        Where the pairs come from.
    d, rows : int
        Head dimension and number of pairs.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray
        Shape ``(rows,)``, float64.

    Examples
    --------
    >>> from attn_helpers import Gaussian
    >>> simulate_scores(Gaussian(), d=3, rows=4, rng=np.random.default_rng(0)).shape
    (4,)
    """
    d, rows = positive_int(d, "d"), positive_int(rows, "rows")
    generator(rng)
    scores = np.empty(rows)
    step = max(1, BLOCK // d)
    for start in range(0, rows, step):
        part = scores[start : start + step]
        query, key = law.sample(rng, part.size, d)
        np.einsum("rd,rd->r", query, key, out=part)
    return scores


def simulate_rows(
    law: ScoreLaw, d: int, n: int, rows: int, rng: np.random.Generator
) -> FloatArray:
    """Return rows of scores, each of one query against keys of its own.

    One row of Q Kᵀ in Vaswani et al. (2017), equation 1, before scaling. No key is used twice.
    Besides the result, memory stays below about 64 MB (plus one pair).

    Parameters
    ----------
    law : ScoreLaw
        A law whose query and key are independent.
    d, n, rows : int
        Head dimension, keys in a row, and rows.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray
        Shape ``(rows, n)``, float64.

    Examples
    --------
    >>> from attn_helpers import Gaussian
    >>> simulate_rows(Gaussian(), d=3, n=5, rows=2, rng=np.random.default_rng(0)).shape
    (2, 5)
    """
    d, n, rows = positive_int(d, "d"), positive_int(n, "n"), positive_int(rows, "rows")
    generator(rng)
    scores = np.empty((rows, n))
    row_step, key_step = max(1, BLOCK // (n * d)), max(1, BLOCK // d)
    for start in range(0, rows, row_step):
        part = scores[start : start + row_step]
        query = law.sample_query(rng, len(part), d)
        for first in range(0, n, key_step):
            block = part[:, first : first + key_step]
            key = law.sample_key(rng, block.size, d).reshape(*block.shape, d)
            np.matmul(key, query[:, :, None], out=block[:, :, None])
    return scores


_AT_ONCE = 256  # values of x integrated at once: bounds the memory
_NEGLIGIBLE = 40.0  # e^-40 of the peak: below float64's resolution


def gaussian_score_pdf(x: ArrayLike, d: int) -> FloatArray:
    """Return the density of q·k, where q and k are independent N(0, I_d).

    ``|x|^ν K_ν(|x|) / (sqrt(π) 2^ν Γ(d/2))`` with ν = (d - 1)/2 and K_ν the modified Bessel
    function of the second kind. Chapter 2 of the course derives it; for d = 1 it is in Craig
    (1936), "On the frequency function of xy". The law is the variance-gamma law with
    characteristic function (1 + t²)^(-d/2). K_ν by DLMF 10.32.9, K_ν(x) = ½ ∫ exp(-x cosh t + ν t)
    dt over the real line, by the trapezoidal rule, whose error falls faster than any power of its
    step: Trefethen & Weideman (2014), SIAM Review 56(3).

    Parameters
    ----------
    x : array_like
        Scores, any shape.
    d : int
        Head dimension.

    Returns
    -------
    ndarray
        Same shape, computed in float64, float dtype kept. Infinite at 0 for d = 1; 0 at ±inf; NaN
        at NaN.

    Examples
    --------
    >>> gaussian_score_pdf([0.0, 1.0], d=2)  # Laplace: exp(-|x|)/2
    array([0.5       , 0.18393972])
    """
    d = positive_int(d, "d")
    values = as_real(x, "gaussian_score_pdf: x")
    size = np.abs(values, dtype=np.float64).ravel()
    density = np.full(size.shape, np.nan)
    density[np.isinf(size)] = 0.0
    density[size == 0] = np.inf  # right for d = 1, replaced below for d >= 2
    (regular,) = np.nonzero(np.isfinite(size) & ((size > 0) | (d > 1)))
    for start in range(0, regular.size, _AT_ONCE):
        block = regular[start : start + _AT_ONCE]
        density[block] = np.exp(_log_density(size[block], d))
    return density.reshape(values.shape).astype(values.dtype, copy=False)[()]


def _log_density(x: FloatArray, d: int) -> FloatArray:
    """Return the logarithm of the density at x >= 0 (x > 0 if d = 1).

    The integrand of K_ν peaks at t₀ = asinh(ν/x). With w = sqrt(x² + ν²) and s = t - t₀ it is
    exp(-w + ν t₀) times exp(-½(w+ν)(eˢ-1) - ½(w-ν)(e⁻ˢ-1) + νs), and x^ν exp(ν t₀) = (ν+w)^ν:
    nothing is left that over- or underflows, and x = 0 needs no special case.
    """
    nu = (d - 1) / 2
    w = np.hypot(x, nu)
    constant = -log(2) - 0.5 * log(pi) - lgamma(d / 2)
    return nu * np.log((nu + w) / 2) - w + np.log(_bessel_integral(x, w, nu)) + constant


def _bessel_integral(x: FloatArray, w: FloatArray, nu: float) -> FloatArray:
    """Integrate exp(-½(w+ν)(eˢ-1) - ½(w-ν)(e⁻ˢ-1) + νs) over s by the trapezoid rule.

    For an analytic integrand that dies off at both ends the rule converges faster than any power
    of the step. The peak has width w^-½; half of it is enough.
    """
    right, left = (w + nu) / 2, x / (w + nu) * x / 2  # left is (w-ν)/2 without cancellation
    step = np.minimum(0.15, 0.5 / np.sqrt(w))

    def exponent(j: FloatArray) -> FloatArray:
        s = step[:, None] * j
        with np.errstate(over="ignore"):  # far out the exponent is -inf
            return nu * s - right[:, None] * np.expm1(s) - left[:, None] * np.expm1(-s)

    reach = 32
    while np.max(exponent(np.array([-1.0, 1.0]) * reach)) > -_NEGLIGIBLE:
        reach *= 2
    return step * np.exp(exponent(np.arange(-reach, reach + 1.0))).sum(axis=1)
