"""A loss as a function of the scale β, with its slope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import as_real, finite, first_index, plain, working
from attn_helpers.weights import log_softmax


class ScaleLoss(NamedTuple):
    """A loss with its derivative with respect to the scale."""

    loss: float
    slope: float


def target_loss(scores: ArrayLike, targets: ArrayLike, scale: float) -> ScaleLoss:
    """Return the mean of -log(weight of the target) and its derivative in the scale.

    The loss is convex in β, as the log-sum-exp of β z is: Boyd & Vandenberghe (2004), *Convex
    Optimization*, section 3.1.5.

    Parameters
    ----------
    scores : array_like
        Shape ``(rows, n)``.
    targets : array_like of int
        Shape ``(rows,)``: the key, from 0 to n - 1, that each row should find.
    scale : float
        β >= 0.

    Returns
    -------
    ScaleLoss
        Loss in nats; slope, the mean of E_p[z] - z_target.

    Examples
    --------
    >>> target_loss([[0.0, 2.0]], [1], scale=0.0).slope
    -1.0
    """
    z, at = working(as_real(scores, "scores")), plain(targets, "targets")
    if at.dtype.kind not in "iu":
        raise TypeError(f"targets must be integers, the indices of keys, got dtype {at.dtype}")
    if z.ndim != 2 or at.shape != z.shape[:1]:
        raise ValueError(
            f"scores (rows, n) need one target a row, got shapes {z.shape} and {at.shape}"
        )
    if (bad := (at < 0) | (at >= z.shape[1])).any():
        row = first_index(bad)[0]
        raise ValueError(f"targets must be in 0..{z.shape[1] - 1}, got {at[row]} in row {row}")
    logs = log_softmax(finite(scale, "scale", low=0) * z)
    p = np.exp(logs)
    rows = np.arange(len(z))
    centre = np.einsum("rn,rn->r", p, z)
    return ScaleLoss(
        float(-np.mean(logs[rows, at])),
        float(np.mean(centre - z[rows, at])),
    )
