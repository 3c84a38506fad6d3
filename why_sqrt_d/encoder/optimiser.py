"""Adam, clipping and the learning rate's schedule, on one flat vector of parameters."""

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._checks import FloatArray, as_real, finite, positive, positive_int


class Adam:
    """Adam with bias correction; `step` changes the parameters in place.

    Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", algorithm 1.

    Parameters
    ----------
    params : ndarray
        The flat vector to improve, float32 or float64, writable. It is kept, not copied.
    betas : tuple of float
        How fast the means of the gradient and of its square forget, each in [0, 1).
    epsilon : float
        Added to the root of the mean square, > 0.

    Examples
    --------
    The first step has the size of the learning rate, whatever the size of the gradient.

    >>> params = np.array([1.0, 1.0])
    >>> Adam(params).step(np.array([1e-3, -5.0]), learning_rate=0.1)
    >>> params.round(3)
    array([0.9, 1.1])
    """

    def __init__(
        self,
        params: FloatArray,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
    ) -> None:
        kind: Any = getattr(params, "dtype", type(params).__name__)
        if not isinstance(params, np.ndarray) or kind not in (np.float32, np.float64):
            raise TypeError(f"params must be an array of float32 or float64, got {kind}")
        if params.ndim != 1 or not params.flags.writeable:
            state = "writable" if params.flags.writeable else "read-only"
            raise ValueError(f"params must be flat and writable, got {params.shape}, {state}")
        for name, beta in zip(("betas[0]", "betas[1]"), betas, strict=True):
            if finite(beta, name, low=0) >= 1:
                raise ValueError(f"{name} must be in [0, 1), got {beta!r}")
        self.params = params
        self.betas = betas
        self.epsilon = positive(epsilon, "epsilon")
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
        first, second = self.betas
        self._mean *= first
        self._mean += (1 - first) * gradient
        self._square *= second
        self._square += (1 - second) * gradient * gradient
        # Both means began at zero; 1 - beta^t is the share of real gradients in them.
        root = np.sqrt(self._square)
        root /= math.sqrt(1 - second**self.steps)
        root += self.epsilon
        change = rate / (1 - first**self.steps) * self._mean / root
        self.params -= change if factors is None else factors * change


def clip_by_norm(gradient: ArrayLike, max_norm: float) -> FloatArray:
    """Return the gradient, shortened to `max_norm` if it is longer.

    Parameters
    ----------
    gradient : array_like
        Real numbers, any shape.
    max_norm : float
        The greatest Euclidean length allowed, > 0.

    Returns
    -------
    ndarray
        Same shape and float dtype, same direction; `gradient` itself if it is short enough.

    Notes
    -----
    Pascanu, Mikolov & Bengio (2013), "On the difficulty of training recurrent neural networks",
    algorithm 1. The norm is computed in float64.

    Examples
    --------
    >>> clip_by_norm([3.0, 4.0], 1.0)
    array([0.6, 0.8])
    """
    values = as_real(gradient, "gradient")
    limit = positive(max_norm, "max_norm")
    norm = float(np.linalg.norm(values.ravel().astype(np.float64)))
    if not math.isfinite(norm):
        raise ValueError(f"gradient has norm {norm}; a step along it means nothing")
    return values if norm <= limit else values * (limit / norm)


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """Return the share of the learning rate to use at a step: a linear rise under a cosine.

    Parameters
    ----------
    step : int
        From 0 to `total`.
    warmup : int
        How many steps the rise takes, >= 0.
    total : int
        The step at which the share reaches zero, >= 1.

    Returns
    -------
    float
        min(step/warmup, 1) · (1 + cos(π step/total)) / 2. With a rise, step 0 gives zero.

    Notes
    -----
    ``CosineWarmupScheduler`` of Lippe's UvA Deep Learning Tutorial 6; the cosine is that of
    Loshchilov & Hutter (2017), "SGDR", equation 5.

    Examples
    --------
    >>> [round(warmup_cosine(step, 2, 4), 3) for step in range(5)]
    [0.0, 0.427, 0.5, 0.146, 0.0]
    """
    end = positive_int(total, "total")
    try:
        now, rise = operator.index(step), operator.index(warmup)
    except TypeError:
        raise TypeError(f"step and warmup must be integers, got {step!r}, {warmup!r}") from None
    if not 0 <= now <= end:
        raise ValueError(f"step must be in 0..{end} (total), got {now}")
    if rise < 0:
        raise ValueError(f"warmup must be >= 0, got {rise}")
    share = now / rise if now < rise else 1.0
    return share * (1 + math.cos(math.pi * now / end)) / 2
