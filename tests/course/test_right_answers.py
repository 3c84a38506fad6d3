"""Right answers with the chapter's numbers and drawn ones, as closed forms of what is asked."""

import re
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from why_sqrt_d.exercises import get


def split(vq: float, m: float, vk: float) -> list[float]:
    """Return the variance of (q·k)/√d, within and between rows, from moments of one product."""
    mean_square = vq * (vk + m**2)
    between = vq * m**2  # the variance of E[qk | q] = mq
    return [mean_square, mean_square - between, between]


def aligned(inverse: float, d: float) -> list[float]:
    """Return mean and variance of the score by Isserlis: E[q²k²] = 1 + 2ρ²."""
    rho = 1 / inverse
    return [d * rho, d * (1 + 2 * rho**2 - rho**2)]


#: Where the question says its numbers, and what is right with them.
ASKED: dict[str, tuple[str, Callable[..., object]]] = {
    "1.2": (r"d = (\d+)", lambda d: d**0.5),
    "1.3": (r"-(\d)\$ and .*d = (\d+)", lambda a, d: d * (a**2 / 3) ** 2),
    "1.5": (r"variance \$(\d)\$, .* mean \$(\d)\$ and variance\s\$(\d)\$", split),
    "1.7": (r"d = (\d+)", lambda d: d**0.5),
    "1.8": (r"add \$([\d.]+)\$", lambda c: (1 + c**2) ** 0.5),
    "2.2": ("", lambda: np.mean([(32 * s + 32 * t) ** 2 for s, t in product((-1, 1), repeat=2)])),
    "2.3": (r"rho = 1/(\d)\$ .*d = (\d+)", aligned),
    "2.4": (r"deviation \$([\d.]+)\$", lambda std: 1 / std**2),
    "2.5": (r"are \$(\d)\$ with .*1/(\d+)\$ .*d = (\d+)", lambda r, p, d: d * r**4 / p),
}


@pytest.mark.parametrize("exercise", ASKED)
def test_the_right_answer_is_right_with_any_numbers(exercise: str) -> None:
    pattern, answer = ASKED[exercise]
    own = get(exercise)
    for one in (own, *own.variants):
        found = re.search(pattern, one.statement, re.S)
        right = answer(*map(float, found.groups()))
        assert one.kind.judge(right, one.wrong).passed
        assert not one.kind.judge(1.1 * np.asarray(right), one.wrong).passed
