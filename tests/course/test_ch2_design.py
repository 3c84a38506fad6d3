"""Exercise 2.6 asks for a counterexample: right ones pass whatever they draw, others are told why.

At six standard errors a property, a right design fails with a chance below one in a million.
"""

import re
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
    _, *calls = get("2.6").kind.mechanisms
    rows, d = calls[0].args[1:]
    pair = np.array(draw(np.random.default_rng(seed), rows, d))
    return next((line for one in calls if (line := one.check(pair))), "")


def test_right_designs_pass_at_any_seed() -> None:
    asked = get("2.6")
    for draw in (asked.kind.reference, *asked.also, rare_size, turned):
        assert [trouble(draw, seed) for seed in range(5)] == [""] * 5


def one_mean(rng: np.random.Generator, rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    q, k = rare_size(rng, rows, d)
    return q + 0.3 * (np.arange(d) == 3), k


def one_variance(rng: np.random.Generator, rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    q, k = rare_size(rng, rows, d)
    return q, k * np.where(np.arange(d) == 2, 1.5, 1)


def one_pair(rng: np.random.Generator, rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    q, k = rare_size(rng, rows, d)
    k[:, 3] = 0.8 * k[:, 3] + 0.6 * q[:, 1]
    return q, k


def test_one_fault_is_named_with_its_place() -> None:
    for draw, said in {
        one_mean: r"gives q\[:, 3\] a mean of 0\.\d+, not 0",
        one_variance: r"gives k\[:, 2\] a variance of 2\.\d+, not 1",
        one_pair: r"a correlated pair: q\[:, 1\] and k\[:, 3\] have correlation 0\.\d+",
    }.items():
        for seed in range(5):
            assert re.search(said, trouble(draw, seed))
