"""What models do to queries, keys or logits besides scaling: norms, and a soft cap."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray, as_real, check_axis, positive, working


def unit_length(x: ArrayLike) -> FloatArray:
    """Return x / ‖x‖: after it a score is a cosine. A vector of zeros stays zero.

    Henry et al. (2020), "Query-Key Normalization for Transformers", equation 3 onwards.

    Parameters
    ----------
    x : array_like
        Vectors, shape ``(..., d)``.

    Returns
    -------
    ndarray
        Same shape; float dtype kept, integers give float64.

    Examples
    --------
    >>> unit_length([3.0, 4.0])
    array([0.6, 0.8])
    """
    values = as_real(x, "x")
    check_axis(values, -1, "x")
    work = working(values)
    # A power of two near max |x| changes no digit, and no square over- or underflows.
    work = np.ldexp(work, -np.frexp(np.abs(work).max(axis=-1, keepdims=True))[1])
    length = np.sqrt(np.sum(np.square(work), axis=-1, keepdims=True))
    return (work / np.where(length == 0, 1, length)).astype(values.dtype, copy=False)


def rms_norm(x: ArrayLike) -> FloatArray:
    """Return x / rms(x): after it the components have mean square one. Zeros stay zeros.

    Zhang & Sennrich (2019), "Root Mean Square Layer Normalization", equation 4, without its ε and
    without the gain that models learn.

    Parameters
    ----------
    x : array_like
        Vectors, shape ``(..., d)``.

    Returns
    -------
    ndarray
        Same shape; float dtype kept, integers give float64.

    Examples
    --------
    >>> rms_norm([3.0, 4.0]).round(3)
    array([0.849, 1.131])
    """
    values = as_real(x, "x")
    unit = unit_length(working(values))
    return (unit * math.sqrt(unit.shape[-1])).astype(values.dtype, copy=False)


def soft_cap(logits: ArrayLike, cap: float) -> FloatArray:
    """Return cap·tanh(logits/cap): bounded by the cap, slope 1 at zero.

    Gemma Team (2024), "Gemma 2", section 2 ("Logit soft-capping"). ``-inf`` becomes ``-cap``: mask
    after capping, not before.

    Parameters
    ----------
    logits : array_like
        Any shape.
    cap : float
        Above 0, in the units of the logits.

    Returns
    -------
    ndarray
        Same shape; float dtype kept, integers give float64.

    Examples
    --------
    >>> soft_cap([0.0, 1000.0], cap=50.0)
    array([ 0., 50.])
    """
    z, cap = as_real(logits, "logits"), positive(cap, "cap")
    return cap * np.tanh(z / cap)
