"""What the scale β does to a softmax, and how to learn it: slopes in β and a short descent."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.attention import scaled_dot_product_attention
from attn_helpers.checks import FloatArray, as_real, check_axis, finite, positive, positive_int
from attn_helpers.weights import log_softmax, softmax, softmax_vjp


def entropy_slope(scores: ArrayLike, scale: float) -> FloatArray:
    """Return the derivative of the weights' entropy with respect to the scale.

    -β Var_p(scores), shape ``(...)`` for `scores` ``(..., n)``, with p = softmax(β scores) and
    β = `scale` >= 0: never above zero. Thermodynamics knows it as dS/dβ = -β Var(E): Mézard &
    Montanari (2009), *Information, Physics, and Computation*, chapter 2.

    >>> float(entropy_slope([1.0, 3.0], scale=0.0))
    -0.0
    """
    z = as_real(scores, "scores")
    check_axis(z, -1, "scores")
    p = softmax(finite(scale, "scale", low=0) * z)
    centred = z - np.sum(p * z, axis=-1, keepdims=True)
    return np.asarray(-scale * np.sum(p * centred**2, axis=-1))[()]


def scale_gradient(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, grad: ArrayLike, scale: float
) -> float:
    """Return the gradient of a loss to the scale of an attention.

    The logit is β·score, so dL/dβ = Σ dL/dlogit · score over all queries and keys, at β = `scale`.
    `query`, `key` and `value` are as for `scaled_dot_product_attention`; `grad` is the gradient of
    the loss to its output, ``(..., n_q, d_v)``. The gradient to the logits is that of Dao et al.
    (2022), "FlashAttention", appendix B.2.

    >>> key, value = np.array([[1.0], [0.0]]), np.array([[4.0], [0.0]])
    >>> scale_gradient([[1.0]], key, value, [[1.0]], scale=0.0)
    1.0
    """
    _, weights = scaled_dot_product_attention(query, key, value, scale=scale, return_weights=True)
    k, v = (as_real(x, "key, value").swapaxes(-1, -2) for x in (key, value))
    grad_logits = softmax_vjp(weights, as_real(grad, "grad") @ v)
    return float(np.sum(grad_logits * (as_real(query, "query") @ k)))


class ScaleLoss(NamedTuple):
    """A loss with its first two derivatives with respect to the scale."""

    loss: float
    slope: float
    curvature: float


def target_loss(scores: ArrayLike, targets: ArrayLike, scale: float) -> ScaleLoss:
    """Return the mean of -log(weight of the target) and its derivatives in the scale.

    `scores` are ``(rows, n)``, `targets` ``(rows,)`` the key that each row should find, and
    `scale` is β >= 0. The slope is the mean of E_p[z] - z_target, the curvature that of
    Var_p(z) >= 0: the loss is convex in β, as the log-sum-exp of β z is (Boyd & Vandenberghe 2004,
    *Convex Optimization*, section 3.1.5).

    >>> target_loss([[0.0, 2.0]], [1], scale=0.0).slope
    -1.0
    """
    z, at = as_real(scores, "scores"), np.asarray(targets)
    if z.ndim != 2 or at.shape != z.shape[:1]:
        raise ValueError(
            f"scores (rows, n) need one target a row, got shapes {z.shape} and {at.shape}"
        )
    logs = log_softmax(finite(scale, "scale", low=0) * z)
    p = np.exp(logs)
    rows = np.arange(len(z))
    centre = np.einsum("rn,rn->r", p, z)
    return ScaleLoss(
        float(-np.mean(logs[rows, at])),
        float(np.mean(centre - z[rows, at])),
        float(np.einsum("rn,rn->", p, np.square(z - centre[:, None])) / len(z)),
    )


def learn_scale(
    draw: Callable[[], tuple[ArrayLike, ArrayLike]],
    start: float,
    steps: int,
    learning_rate: float,
) -> FloatArray:
    """Learn the scale by gradient descent on its logarithm, a fresh batch each step.

    `draw` returns a batch: scores ``(rows, n)`` and targets ``(rows,)``. From β = `start` > 0,
    each of the `steps` is log β ← log β - η · β dL/dβ with η = `learning_rate`; the
    parametrisation is that of `Learned`. Returns β before the first step and after every step,
    ``(steps + 1,)``.

    >>> batch = np.array([[0.0, 1.0]]), np.array([1])
    >>> learn_scale(lambda: batch, start=1.0, steps=2, learning_rate=1.0).round(3)
    array([1.   , 1.309, 1.729])
    """
    eta, path = positive(learning_rate, "learning_rate"), [positive(start, "start")]
    for _ in range(positive_int(steps, "steps")):
        beta = path[-1]
        path.append(beta * float(np.exp(-eta * beta * target_loss(*draw(), beta).slope)))
    return np.array(path)


def sweep_scales(scores: ArrayLike, targets: ArrayLike, scales: Iterable[float]) -> FloatArray:
    """Return the `target_loss` of `scores` and `targets` at each of several `scales`.

    One set of rows for all: differences between scales are then not blurred by sampling.

    >>> sweep_scales([[0.0, 0.0]], [1], [1.0, 2.0]).round(4)
    array([0.6931, 0.6931])
    """
    return np.array([target_loss(scores, targets, scale).loss for scale in scales])
