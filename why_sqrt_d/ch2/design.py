"""Is a draw of q and k a counterexample? Each check tests one of its properties on many rows."""

from collections.abc import Callable

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises.messages import four

ROWS, D = 20_000, 8
ERRORS = 6.0  #: a property fails when it is off by more than so many standard errors
FAR = 1.5  #: Var(q·k) is far from d when it differs from it by more than this factor


def _names(d: int) -> list[str]:
    """Name the 2d components as NumPy does."""
    return [f"{vector}[:, {i}]" for vector in "qk" for i in range(d)]


def _worst(values: FloatArray, stated: float) -> int | None:
    """Return the column of `values` (rows, m) whose mean is the furthest from `stated`.

    In standard errors; None if none is off by more than `ERRORS` of them.
    """
    off = np.abs(values.mean(axis=0) - stated)
    allowed = ERRORS * values.std(axis=0) / np.sqrt(len(values)) + 1e-9
    worst = int(np.argmax(off / allowed))
    return worst if off[worst] > allowed[worst] else None


def _components(pair: FloatArray) -> FloatArray:
    """Return q and k (2, rows, d) side by side, ``(rows, 2d)``."""
    if pair.shape[2] != D:
        raise ValueError(f"q and k should have {D} columns, not {pair.shape[2]}")
    return np.concatenate(list(pair), axis=1).astype(float)


def means_are_zero(pair: FloatArray, *_: object) -> str | None:
    """Check that every component has mean 0."""
    x = _components(pair)
    if not np.all(np.isfinite(x)):
        return "gives values that are not finite"
    if (i := _worst(x, 0.0)) is None:
        return None
    return f"gives {_names(D)[i]} a mean of {four(x[:, i].mean())}, not 0"


def variances_are_one(pair: FloatArray, *_: object) -> str | None:
    """Check that every component has variance 1."""
    x = _components(pair)
    if (i := _worst(x**2, 1.0)) is None:
        return None
    return f"gives {_names(D)[i]} a variance of {four(x[:, i].var())}, not 1"


def pairs_are_uncorrelated(pair: FloatArray, *_: object) -> str | None:
    """Check that no two of the 2d components are correlated."""
    x = _components(pair)
    first, second = np.triu_indices(x.shape[1], k=1)
    products = x[:, first] * x[:, second]
    if (worst := _worst(products, 0.0)) is None:
        return None
    names = _names(D)
    one, other = names[first[worst]], names[second[worst]]
    found = four(float(np.round(np.corrcoef(x[:, first[worst]], x[:, second[worst]])[0, 1], 3)))
    return f"gives a correlated pair: {one} and {other} have correlation {found}"


def variance_is_far_from_d(pair: FloatArray, *_: object) -> str | None:
    """Check that the variance of q·k is not d, nor near it."""
    variance = float((pair[0] * pair[1]).sum(axis=1).var())
    if 1 / FAR <= variance / D <= FAR:
        return f"gives Var(q·k) = {four(variance)}, and d is {D}: that is not far from d"
    return None


CHECKS: tuple[Callable[..., str | None], ...] = (
    means_are_zero,
    variances_are_one,
    pairs_are_uncorrelated,
    variance_is_far_from_d,
)
