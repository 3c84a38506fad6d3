"""The rules for β: functions of d_k and n, learned, with a soft cap, on normalised q and k.

A rule is called with the head dimension `d_k` and the number of keys `n`, both positive integers
and both checked even where a rule does not use them. Its own parameters are checked when it is
made: all are finite, and >= 0 where nothing else is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_helpers.checks import (
    FloatArray,
    as_real,
    check_axis,
    check_same_shape,
    finite,
    positive,
    positive_int,
    working,
)

ScaleRule = Callable[[int, int], float]


def _check_sizes(d_k: int, n: int) -> tuple[int, int]:
    return positive_int(d_k, "d_k"), positive_int(n, "n")


@dataclass(frozen=True)
class InverseSqrt:
    """β = 1/sqrt(d_k), which gives logits of unit variance for i.i.d. standard components.

    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, equation 1.

    >>> InverseSqrt()(d_k=64, n=512)
    0.125
    """

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        return 1 / math.sqrt(_check_sizes(d_k, n)[0])


@dataclass(frozen=True)
class InverseDim:
    """β = numerator/d_k, for queries and keys that align, where q·k grows like d_k.

    Yang et al. (2022), "Tensor Programs V" (μP), definition 4.1.

    Parameters
    ----------
    numerator : float
        With sqrt(d_base) it agrees with `InverseSqrt` at d_k = d_base.

    Examples
    --------
    >>> InverseDim(numerator=8.0)(d_k=128, n=512)
    0.0625
    """

    numerator: float = 1.0

    def __post_init__(self) -> None:
        finite(self.numerator, "numerator", low=0)

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        return float(self.numerator) / _check_sizes(d_k, n)[0]


@dataclass(frozen=True)
class Constant:
    """β = value whatever the sizes; ``Constant(1.0)`` is unscaled attention.

    Luong et al. (2015), "Effective Approaches to Attention-based Neural Machine Translation",
    section 3.1 ("dot"), has value 1.

    Parameters
    ----------
    value : float
        β >= 0.

    Examples
    --------
    >>> Constant(1.0)(d_k=64, n=512)
    1.0
    """

    value: float

    def __post_init__(self) -> None:
        finite(self.value, "value", low=0)

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        _check_sizes(d_k, n)
        return float(self.value)


@dataclass(frozen=True)
class Learned:
    """β = exp(log_scale) with a learned logarithm, so β stays above zero.

    Radford et al. (2021), "Learning Transferable Visual Models" (CLIP), section 2.3, for the
    parametrisation. A training step makes a new instance: ``Learned(old.log_scale - step)``.

    Parameters
    ----------
    log_scale : float
        ln β, of any sign.

    Examples
    --------
    >>> round(Learned(log_scale=-0.5 * math.log(64))(d_k=64, n=512), 12)
    0.125
    """

    log_scale: float

    def __post_init__(self) -> None:
        # exp(log_scale) must be a finite float64 too.
        finite(self.log_scale, "log_scale", high=math.log(np.finfo(np.float64).max))

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        _check_sizes(d_k, n)
        return math.exp(self.log_scale)


@dataclass(frozen=True)
class LogLength:
    """β = base · max(least, slope · ln n): a scale that grows with the logarithm of the keys.

    Chiang & Cholak (2022), "Overcoming a theoretical limitation of self-attention", has slope 1;
    Nakanishi (2025), "Scalable-Softmax is superior for attention", learns it; with slope 1/ln(L)
    and least 1 it is the scale that Qwen-1 applies beyond its training length L, and only at
    inference.

    Parameters
    ----------
    slope : float
        Above 0.
    base : callable
        Another rule.
    least : float
        At least 0.

    Examples
    --------
    >>> round(LogLength(slope=1 / math.log(16))(d_k=64, n=256), 12)
    0.25
    """

    slope: float
    base: ScaleRule = InverseSqrt()
    least: float = 0.0

    def __post_init__(self) -> None:
        positive(self.slope, "slope")
        finite(self.least, "least", low=0)

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        _, n = _check_sizes(d_k, n)
        return self.base(d_k, n) * max(float(self.least), float(self.slope) * math.log(n))


@dataclass(frozen=True)
class SoftCap:
    """cap·tanh(logits/cap): bounded by the cap, slope 1 at zero.

    Gemma Team (2024), "Gemma 2", section 2 ("Logit soft-capping"). ``-inf`` becomes ``-cap``: mask
    after capping, not before.

    Parameters
    ----------
    cap : float
        Above 0, in the units of the logits.

    Examples
    --------
    >>> SoftCap(50.0)(np.array([0.0, 1000.0]))
    array([ 0., 50.])
    """

    cap: float

    def __post_init__(self) -> None:
        positive(self.cap, "cap")

    def __call__(self, logits: ArrayLike) -> FloatArray:
        """Return the capped logits.

        Parameters
        ----------
        logits : array_like
            Any shape.

        Returns
        -------
        ndarray
            Same shape; float dtype kept, integers give float64.
        """
        z = as_real(logits, "logits")
        return float(self.cap) * np.tanh(z / float(self.cap))

    def vjp(self, logits: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return (1 - tanh²(logits/cap)) · grad.

        Parameters
        ----------
        logits, grad : array_like
            Of one shape; `grad` is the gradient to the capped logits.

        Returns
        -------
        ndarray
            The gradient to the logits.
        """
        z, g = as_real(logits, "logits"), as_real(grad, "grad")
        check_same_shape(z, g, ("logits", "grad"))
        return g * (1 - np.square(np.tanh(z / float(self.cap))))


@dataclass(frozen=True)
class LengthSteps:
    """β = base · (1 + strength · ln(floor(n / step) + 1)) for the last query of n keys.

    An option of Llama 4 for its layers without rotary positions: the code counts positions from 0
    and uses position + 1, which is n for the query that sees n keys (repository
    meta-llama/llama-models, models/llama4/model.py).

    Parameters
    ----------
    strength : float
        At least 0.
    step : int
        A number of keys.
    base : callable
        Another rule.

    Examples
    --------
    >>> rule = LengthSteps()
    >>> round(rule(64, 1000), 4), round(rule(64, 100_000), 4)
    (0.125, 0.1571)
    """

    strength: float = 0.1
    step: int = 8192
    base: ScaleRule = field(default=InverseSqrt())

    def __post_init__(self) -> None:
        finite(self.strength, "strength", low=0)
        positive_int(self.step, "step")

    def __call__(self, d_k: int, n: int) -> float:
        """Return β for head dimension `d_k` and `n` keys."""
        beta = self.base(d_k, n)
        return beta * (1 + float(self.strength) * math.log(n // self.step + 1))


@dataclass(frozen=True)
class UnitLength:
    """x / ‖x‖: after it a score is a cosine.

    Henry et al. (2020), "Query-Key Normalization for Transformers", equation 3 onwards. A vector
    of zeros stays zero.

    >>> UnitLength()(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return the vectors at length one.

        Parameters
        ----------
        x : array_like
            Shape ``(..., d)``.

        Returns
        -------
        ndarray
            Same shape; float dtype kept, integers give float64.
        """
        values, unit, _, _ = _direction(x)
        return unit.astype(values.dtype, copy=False)

    def vjp(self, x: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return (grad - u (u·grad)) / ‖x‖ with u = x/‖x‖.

        Parameters
        ----------
        x, grad : array_like
            Of one shape ``(..., d)``; `grad` is the gradient to the vectors at length one.

        Returns
        -------
        ndarray
            The gradient to x; zeros where x is zero.
        """
        return _direction_vjp(x, grad, root=False)


@dataclass(frozen=True)
class RootMeanSquare:
    """x / rms(x): after it the components have mean square one.

    Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", equation 4, without its ε and
    without the gain that models learn. A vector of zeros stays zero.

    >>> RootMeanSquare()(np.array([3.0, 4.0])).round(3)
    array([0.849, 1.131])
    """

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return the vectors at length sqrt(d).

        Parameters
        ----------
        x : array_like
            Shape ``(..., d)``.

        Returns
        -------
        ndarray
            Same shape; float dtype kept, integers give float64.
        """
        values, unit, _, _ = _direction(x)
        return (unit * math.sqrt(unit.shape[-1])).astype(values.dtype, copy=False)

    def vjp(self, x: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return sqrt(d) times the gradient of `UnitLength`.

        Parameters
        ----------
        x, grad : array_like
            As for `UnitLength`.

        Returns
        -------
        ndarray
            The gradient to x; zeros where x is zero.
        """
        return _direction_vjp(x, grad, root=True)


def _direction(x: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.int32]]:
    """Return the vectors x, x/‖x‖, and ‖x‖ as length · 2^exponent, 1 in place of 0.

    Dividing by a power of two near max |x| first changes no digit, and no square over- or
    underflows.
    """
    values = as_real(x, "x")
    check_axis(values, -1, "x")
    work = working(values)
    exponent = np.frexp(np.abs(work).max(axis=-1, keepdims=True))[1]
    scaled = np.ldexp(work, -exponent)
    length = np.sqrt(np.sum(np.square(scaled), axis=-1, keepdims=True))
    length = np.where(length == 0, 1, length)
    return values, scaled / length, length, exponent


def _direction_vjp(x: ArrayLike, grad: ArrayLike, root: bool) -> FloatArray:
    """Return (grad - u (u·grad)) / ‖x‖, times sqrt(d) with `root`; zeros where x is zero."""
    values, unit, length, exponent = _direction(x)
    g = as_real(grad, "grad")
    check_same_shape(values, g, ("x", "grad"))
    dtype, g = np.result_type(values, g), working(g)
    up = np.frexp(np.abs(g).max(axis=-1, keepdims=True))[1]
    g = np.ldexp(g, -up)
    across = (g - unit * np.sum(unit * g, axis=-1, keepdims=True)) / length
    across *= math.sqrt(unit.shape[-1]) if root else 1
    result = np.ldexp(across, up - exponent)
    return np.where(values.any(axis=-1, keepdims=True), result, 0).astype(dtype, copy=False)
