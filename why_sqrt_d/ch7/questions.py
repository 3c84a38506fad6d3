"""Exercises of chapter 7, "The dynamic-β algorithm"; their words are in questions.md."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import Mechanism, Questions, Values, call, case
from why_sqrt_d.rows import select, stored

QUESTIONS = Questions(__file__)


def _accuracies(name: str, **settings: Any) -> list[float]:
    """Return the per cents of right places of stored trainings."""
    return sorted(100 * run["test_accuracy"] for run in select(stored(name), **settings))


def _ten_runs() -> Values:
    textbook = _accuracies("table1", vocabulary=10, scale=None)
    best = _accuracies("table1", vocabulary=10, scale=6.55)
    return {"textbook": math.ceil(textbook[-1]), "best": best[-1]}


def _short_runs() -> Values:
    rates = sorted({run["learning_rate"] for run in stored("short_budget")})
    near = min(rates, key=lambda rate: abs(rate - 0.003))
    learns = [x for x in rates if _accuracies("short_budget", learning_rate=x)[-1] > 95]
    worst, *_, best = _accuracies("short_budget", learning_rate=near)
    return {"worst": worst, "best": best, "none": rates[rates.index(learns[-1]) + 1]}


QUESTIONS.numbers("7.0", _ten_runs)
QUESTIONS.numbers(
    "7.3",
    lambda: {"many": 25_000 // 128 * 10, "few": 15_000 // 128 * 10, "sixteen": 15_000 // 128 * 16},
)
QUESTIONS.numbers("7.7", _short_runs)
QUESTIONS.numbers("7.2", f=(1.5, 2.5, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20))
QUESTIONS.numbers("7.5", tenths=(2, 3, 4, 7), k=(3, 4, 5))


def next_scales(
    scales: FloatArray,
    accuracies: FloatArray,
    *,
    order: Callable[[FloatArray], NDArray[np.intp]] = np.argsort,
    pick: Callable[[FloatArray], Any] = np.nanargmax,
    middle: Callable[..., FloatArray] = lambda best, around: np.sqrt(best * around),
) -> FloatArray:
    """Return the two geometric middles between the best scale and its neighbours."""
    tried, best = scales[order(scales)], pick(accuracies[order(scales)])
    return np.sort(middle(tried[best], np.take(tried, [best - 1, best + 1], mode="wrap")))


def _search_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw scales in any order and at any distance; the best is never at an end."""
    for about, count, overflows in (
        ("three scales", 3, 0),
        ("five scales in no order", 5, 0),
        ("seven scales and one overflow", 7, 1),
        ("nine scales and three overflows", 9, 3),
        ("many scales", int(rng.integers(20, 40)), 2),
    ):
        scales = np.sort(np.exp(rng.uniform(-12, 12, count))).round(9)
        accuracies = rng.uniform(0.1, 0.8, count).round(3)
        best = int(rng.integers(1, count - 1))
        others = np.delete(np.arange(count), best)
        accuracies[rng.choice(others, overflows, replace=False)] = np.nan
        accuracies[best] = 0.9 if overflows else np.nanmax(accuracies) + 1e-9
        order = rng.permutation(count)
        yield case(about, scales[order], accuracies[order])
    yield case("scales at unequal distances", [1.1e-4, 1.3e-4, 1e-6, 1e-4], [0.2, 0.1, 0.3, 0.4])
    yield case("an accuracy of zero", [2, 3, 5, 70], [0.0, 0.2, 0.05, 0.1])
    yield case("an overflow that stands first", [9.0, 3.0, 27.0, 1.0], [np.nan, 0.8, 0.3, 0.1])
    chance = np.array([0.01, np.nan, 0.02, 0.011, 0.012])
    yield case("accuracies near chance", [8.0, 90.0, 3.0, 0.2, 1.0], chance)
    tied = np.array([0.1, 0.7, 0.7 + 1e-9, 0.2])
    yield case("accuracies that differ in the ninth digit", np.arange(1.0, 5), tied)
    close = np.array([30001.0, 30000.5, 30002.5, 30000.0, 30001.5])
    yield case("scales close together", close, [0.9, 0.3, 0.2, 0.6, 0.8])


_POWERS, _ROUND = np.array([0.01, 0.1, 1.0, 10.0, 100.0]), np.array([1.0, 10.0, 0.1, 100.0, 0.01])

QUESTIONS.function(
    "7.6",
    next_scales,
    mechanisms={
        "best": call([1.0, 4.0, 36.0, 100.0], [0.1, 0.9, 0.3, 0.05]),
        "any order": call(_ROUND, [0.3, 0.9, 0.2, 0.4, 0.1]),
        "overflow": call(_POWERS, [0.1, 0.9, 0.3, np.nan, 0.2]),
    },
    inputs=_search_inputs,
    wrong={
        "arithmetic": {"middle": lambda best, around: (best + around) / 2},
        "worst": {"pick": lambda a: np.clip(np.nanargmin(a), 1, len(a) - 2)},
        "neighbours": {"middle": lambda best, around: around},
        "ends": lambda s, a: np.sqrt(s[np.nanargmax(a)] * np.array([s.min(), s.max()])),
        "next best": lambda s, a: np.sort(
            np.sqrt(s[np.nanargmax(a)] * s[np.nan_to_num(a).argsort()[-3:-1]])
        ),
        "unsorted": {"order": lambda s: np.arange(len(s))},
        "overflow wins": {"pick": np.argmax},
    },
)
