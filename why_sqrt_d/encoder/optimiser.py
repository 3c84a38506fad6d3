"""Adam, clipping and the learning rate's schedule, on one flat vector of parameters."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray, as_real, finite, positive, positive_int

_FORGET = (0.9, 0.999)  # how fast the means of the gradient and of its square forget
_EPSILON = 1e-8  # added to the root of the mean square


class Adam:
    """Adam with bias correction; `step` changes the parameters in place.

    Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", algorithm 1, with the
    settings that it recommends. `params`, flat and of float32 or float64, is kept, not copied.
    """

    def __init__(self, params: FloatArray) -> None:
        if params.dtype not in (np.float32, np.float64) or params.ndim != 1:
            given = f"{params.dtype}, {params.shape}"
            raise ValueError(f"params must be flat, of float32 or float64, got {given}")
        self.params = params
        self.steps = 0
        self._mean = np.zeros_like(params)
        self._square = np.zeros_like(params)

    def step(
        self, gradient: FloatArray, learning_rate: float, factors: FloatArray | None = None
    ) -> None:
        """Move `params` one step against `gradient`, which stays as it is.

        `factors`, of the shape of `params`, multiply the learning rate of each.
        """
        if gradient.shape != self.params.shape:
            shapes = f"{gradient.shape} but params have {self.params.shape}"
            raise ValueError(f"gradient has shape {shapes}")
        rate = finite(learning_rate, "learning_rate", low=0)
        self.steps += 1
        first, second = _FORGET
        self._mean *= first
        self._mean += (1 - first) * gradient
        self._square *= second
        self._square += (1 - second) * gradient * gradient
        # Both means began at zero; 1 - beta^t is the share of real gradients in them.
        root = np.sqrt(self._square)
        root /= math.sqrt(1 - second**self.steps)
        root += _EPSILON
        change = rate / (1 - first**self.steps) * self._mean / root
        self.params -= change if factors is None else factors * change


def clip_by_norm(gradient: ArrayLike, max_norm: float) -> FloatArray:
    """Return the gradient, shortened to `max_norm` if it is longer; else `gradient` itself.

    Pascanu, Mikolov & Bengio (2013), "On the difficulty of training recurrent neural networks",
    algorithm 1. The Euclidean norm over all entries is computed in float64 and must be finite.
    """
    values = as_real(gradient, "gradient")
    limit = positive(max_norm, "max_norm")
    norm = float(np.linalg.norm(values.ravel().astype(np.float64)))
    if not math.isfinite(norm):
        raise ValueError(f"gradient has norm {norm}; a step along it means nothing")
    return values if norm <= limit else values * (limit / norm)


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """Return min(step/warmup, 1) · (1 + cos(π step/total)) / 2, a share of the learning rate.

    ``CosineWarmupScheduler`` of Lippe's UvA Deep Learning Tutorial 6; the cosine is that of
    Loshchilov & Hutter (2017), "SGDR", equation 5. With a rise, step 0 gives zero; step `total`
    always does.
    """
    if not (0 <= step <= positive_int(total, "total") and warmup >= 0):
        raise ValueError(f"step must be in 0..{total} and warmup >= 0, got {step} and {warmup}")
    share = step / warmup if step < warmup else 1.0
    return share * (1 + math.cos(math.pi * step / total)) / 2
