"""Bringing queries and keys to one size before they meet, with the gradient.

With both vectors of fixed length no growth of the weights can make a score large:
|q·k| <= ‖q‖‖k‖ (Cauchy-Schwarz).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._validate import FloatArray, as_real, check_axis, check_same_shape, positive


class QueryKeyNorm(Protocol):
    """Brings vectors, shape ``(..., d)``, to one size."""

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return the normalised vectors."""
        ...

    def vjp(self, x: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return the gradient to `x`, given the gradient to the normalised vectors."""
        ...


@dataclass(frozen=True)
class UnitLength:
    """x / ‖x‖: after it a score is a cosine.

    Henry et al. (2020), "Query-Key Normalization for Transformers", equation 3 onwards. A vector
    of zeros stays zero.

    Examples
    --------
    >>> UnitLength()(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return the vectors at length one; float dtype kept, integers give float64."""
        values, length = _with_length(x)
        return values / length

    def vjp(self, x: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return (grad - u (u·grad)) / ‖x‖ with u = x/‖x‖; ValueError if the shapes differ."""
        values, length = _with_length(x)
        g = as_real(grad, "grad")
        check_same_shape(values, g, ("x", "grad"))
        unit = values / length
        along = np.sum(unit * g, axis=-1, keepdims=True)
        return np.where(values.any(axis=-1, keepdims=True), (g - unit * along) / length, 0.0)


@dataclass(frozen=True)
class RootMeanSquare:
    """gain · x / rms(x): after it the components have mean square gain².

    Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", equation 4, without its ε;
    models learn one gain a component, which is left at one number here. A vector of zeros stays
    zero.

    Examples
    --------
    >>> RootMeanSquare()(np.array([3.0, 4.0])).round(3)
    array([0.849, 1.131])
    """

    gain: float = 1.0

    def __post_init__(self) -> None:
        positive(self.gain, "gain")

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Return the vectors at length gain·sqrt(d); float dtype kept, integers give float64."""
        unit = UnitLength()(x)
        return unit * self._length(unit)

    def vjp(self, x: ArrayLike, grad: ArrayLike) -> FloatArray:
        """Return gain·sqrt(d) times the gradient of `UnitLength`."""
        result = UnitLength().vjp(x, grad)
        return result * self._length(result)

    def _length(self, x: FloatArray) -> float:
        return float(self.gain) * math.sqrt(x.shape[-1])


def _with_length(x: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the vectors and their lengths, 1 in place of 0."""
    values = as_real(x, "x")
    check_axis(values, -1, "x")
    length = np.sqrt(np.sum(np.square(values), axis=-1, keepdims=True))
    return values, np.where(length == 0, 1.0, length).astype(values.dtype)
