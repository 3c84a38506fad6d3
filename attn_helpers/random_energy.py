"""How sharp a softmax over n random logits is: the random energy model's two phases.

Logits z_1 … z_n are independent N(0, σ²). With σ_c = sqrt(2 ln n), below σ_c many keys share the
weight; above it a few take all of it, and their weights follow a Poisson-Dirichlet law with one
parameter m = σ_c/σ (Derrida 1981; Mézard & Montanari 2009, chapter 5). At finite n the parameter
m = n φ(b)/σ with b = Φ⁻¹(1 - 1/n), the rate at which the largest of n normal variables grows
sparse, is closer. Both are statements about large n: near σ_c, and for n below a hundred or so,
they are rough, and the course measures how rough.
"""

import math
from statistics import NormalDist

from attn_helpers._validate import finite, positive, positive_int, several_keys

_ASYMPTOTIC = 8.0
# |B_2k|/2k for k = 6 … 1: the terms of the digamma series, whose signs alternate.
_BERNOULLI = (691 / 32760, 1 / 132, 1 / 240, 1 / 252, 1 / 120, 1 / 12)


def critical_std(n: int) -> float:
    """Return σ_c = sqrt(2 ln n), where a softmax over n normal logits freezes.

    Parameters
    ----------
    n : int
        Number of keys, at least 2.

    Returns
    -------
    float
        The standard deviation of the logits at the transition.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1.

    Notes
    -----
    Derrida (1981), "Random-energy model: an exactly solvable model of disordered systems",
    Phys. Rev. B 24(5).

    Examples
    --------
    >>> round(critical_std(1024), 3)
    3.723
    """
    return math.sqrt(2 * math.log(several_keys(n)))


def frozen_parameter(n: int, std: float) -> float:
    """Return m at finite n: below 1 the softmax is frozen, and 1 - m is the mean of Σp².

    Parameters
    ----------
    n : int
        Number of keys, at least 2.
    std : float
        Standard deviation σ of the logits, above 0.

    Returns
    -------
    float
        n φ(b)/σ with b = Φ⁻¹(1 - 1/n); it tends to sqrt(2 ln n)/σ from below as n grows.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1, or `std` not a finite number above 0.

    Notes
    -----
    The largest logits are a Poisson process whose density falls as exp(-z n φ(b)/σ) (extreme
    values of the normal law); exponentiating it gives the Poisson-Dirichlet law.

    Examples
    --------
    >>> round(frozen_parameter(1024, std=2 * critical_std(1024)), 3)
    0.453
    """
    normal = NormalDist()
    slope = several_keys(n) * normal.pdf(normal.inv_cdf(1 / n))  # φ(b) = φ(-b)
    return slope / positive(std, "std")


def predicted_participation(n: int, std: float) -> float:
    """Return the random energy model's mean of Σp², the inverse of the effective keys.

    Parameters
    ----------
    n : int
        Number of keys, at least 2.
    std : float
        Standard deviation σ of the logits, above 0.

    Returns
    -------
    float
        exp(σ²)/n below σ_c/2, 1 - m when m < 1, and NaN between the two, where neither is used.

    Raises
    ------
    TypeError, ValueError
        As `frozen_parameter`.

    Notes
    -----
    Mézard & Montanari (2009), *Information, Physics, and Computation*, chapter 5.

    Examples
    --------
    >>> round(predicted_participation(1024, std=1.0), 5)
    0.00265
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n) / 2:
        return math.exp(std**2) / n
    return 1 - m if m < 1 else math.nan


def predicted_entropy(n: int, std: float) -> float:
    """Return the random energy model's mean entropy of the weights, in nats.

    Parameters
    ----------
    n : int
        Number of keys, at least 2.
    std : float
        Standard deviation σ of the logits, above 0.

    Returns
    -------
    float
        ln n - σ²/2 below σ_c; above it ψ(1) - ψ(1 - m), with ψ the digamma function, but never
        more than ln n; NaN where σ is above σ_c and m is not yet below 1.

    Raises
    ------
    TypeError, ValueError
        As `frozen_parameter`.

    Notes
    -----
    Below σ_c the free energy gives ln n - σ²/2; above it the value is the mean entropy of the
    Poisson-Dirichlet law.

    Examples
    --------
    >>> round(predicted_entropy(1024, std=1.0), 3)
    6.431
    """
    m = frozen_parameter(n, std)
    if std < critical_std(n):
        return math.log(n) - std**2 / 2
    return min(math.log(n), _digamma(1.0) - _digamma(1 - m)) if m < 1 else math.nan


def needle_weight(n: int, margin: float, scale: float = 1.0) -> float:
    """Return the weight of one key that stands `margin` above n keys of N(0, 1) scores.

    Parameters
    ----------
    n : int
        Number of other keys, at least 2.
    margin : float
        D, the needle's score; the others have mean 0 and standard deviation 1.
    scale : float
        β, at least 0.

    Returns
    -------
    float
        1/(1 + n exp(β²/2 - βD)): the n other terms replaced by their mean, which is good while
        β is well below sqrt(2 ln n).

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer above 1, or a number not finite, or `scale` negative.

    Notes
    -----
    E exp(βz) = exp(β²/2) for a standard normal score z.

    Examples
    --------
    >>> round(needle_weight(n=1000, margin=8.0, scale=1.0), 3)
    0.644
    """
    beta = finite(scale, "scale", low=0)
    exponent = math.log(several_keys(n)) + beta**2 / 2 - beta * finite(margin, "margin")
    # 1/(1 + e^x) without overflow on either side.
    return (
        math.exp(-exponent) / (1 + math.exp(-exponent))
        if exponent > 0
        else 1 / (1 + math.exp(exponent))
    )


def qk_norm_capacity(d: int) -> float:
    """Return how many keys of random directions leave an exact match half of the weight.

    Parameters
    ----------
    d : int
        Head dimension; queries and keys have length sqrt(d) and the scale is d^-½.

    Returns
    -------
    float
        n = exp(sqrt(d) - 1/2).

    Raises
    ------
    TypeError, ValueError
        If `d` is not a positive integer.

    Notes
    -----
    `needle_weight` with margin sqrt(d), the logit of an exact match, set to 1/2.

    Examples
    --------
    >>> round(qk_norm_capacity(64))
    1808
    """
    return math.exp(math.sqrt(positive_int(d, "d")) - 0.5)


def _digamma(x: float) -> float:
    """ψ(x) for x > 0: step up to where the asymptotic series is exact to rounding, DLMF 5.11.2."""
    value = 0.0
    while x < _ASYMPTOTIC:
        value -= 1 / x
        x += 1
    square, series = 1 / (x * x), 0.0
    for coefficient in _BERNOULLI:
        series = square * (coefficient - series)
    return value + math.log(x) - 0.5 / x - series
