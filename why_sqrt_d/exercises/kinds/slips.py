"""Slips that a function of any exercise can have: what comes back is the right result, changed."""

from collections.abc import Callable

import numpy as np


def _reversed(x: np.ndarray) -> np.ndarray:
    return x[::-1] if x.ndim == 1 else x


def _turned(x: np.ndarray) -> np.ndarray:
    return x.T if x.ndim == 2 else x


def _rounded(digits: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.round(x, digits)


#: What was done to the right result, and the sentence that says so.
SLIPS: tuple[tuple[Callable[[np.ndarray], np.ndarray], str], ...] = (
    (lambda x: -x, "That is the right result with its sign turned."),
    (np.trunc, "The result is cut to whole numbers: return it as it is."),
    *((_rounded(k), "The result is rounded: return all of its digits.") for k in range(7)),
    (np.abs, "The sizes are right, but negative results have lost their sign."),
    (_reversed, "These are the right numbers in the opposite order."),
    (_turned, "That is the right result with rows and columns exchanged."),
    (np.sqrt, "That is the square root of the right result."),
    (np.square, "That is the square of the right result."),
    (lambda x: 2 * x, "That is twice the right result."),
    (lambda x: x / 2, "That is half of the right result."),
)
