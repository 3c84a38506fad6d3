"""Derivatives by complex steps, exact to rounding: the oracle of gradients."""

import numpy as np


def slope(function, arrays, place, rng):
    """Return a random step of one of the arrays, and how the function changes along it.

    A wrong gradient agrees with that only if its error is at right angles to the step.
    """
    step = rng.normal(size=arrays[place].shape)
    moved = [a + 1e-20j * step if i == place else a for i, a in enumerate(arrays)]
    return step, np.imag(function(*moved)) / 1e-20
