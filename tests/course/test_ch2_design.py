"""Exercise 2.5 asks for a counterexample: right ones pass whatever they draw.

At six standard errors a property, a right design fails with a chance below one in a million.
"""

from collections.abc import Callable

import numpy as np

from why_sqrt_d.exercises import get

Draw = Callable[[np.random.Generator, int, int], tuple[np.ndarray, np.ndarray]]


def rare_size(rng: np.random.Generator, rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Var = 10d: one row in ten is loud."""
    size = np.sqrt(10) * (rng.random((rows, 1)) < 0.1)
    return size * rng.standard_normal((rows, d)), size * rng.standard_normal((rows, d))


def turned(rng: np.random.Generator, rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Var = 0: at right angles, normal components."""
    q = rng.standard_normal((rows, d))
    k = np.stack([-q[:, 1::2], q[:, ::2]], axis=2).reshape(rows, d)
    return q, k * rng.choice([-1, 1], (rows, 1))


def trouble(draw: Draw, seed: int) -> str:
    """Return what the first check that fails says of one draw of many rows."""
    _, *calls = get("2.5").kind.mechanisms
    given = np.random.default_rng(seed), *calls[0].args[1:]
    pair = np.array(draw(*given))
    return next((line for one in calls if (line := one.check(pair, *given))), "")


def test_right_designs_pass_at_any_seed() -> None:
    asked = get("2.5")
    for draw in (asked.kind.reference, *asked.also, rare_size, turned):
        assert [trouble(draw, seed) for seed in range(3)] == [""] * 3
