"""Derivatives by complex steps, exact to rounding: the oracle of gradients."""

from collections.abc import Callable, Sequence

import numpy as np

TINY = 1e-20


def slope(
    function: Callable[..., np.ndarray],
    arrays: Sequence[np.ndarray],
    place: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a random step of one of the arrays, and how the function changes along it.

    For a gradient g of a sum weighted with w, the sums of g times the step and of w times the
    change agree; a wrong g would have to be wrong at right angles to a random direction.
    """
    step = rng.normal(size=arrays[place].shape)
    moved = [a + 1j * TINY * step if i == place else a for i, a in enumerate(arrays)]
    return step, np.imag(function(*moved)) / TINY
