"""Exercises of chapter 6, "The dynamic-β algorithm"."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Finding,
    Function,
    Mechanism,
    Number,
    PredictNumber,
    Texts,
    TriedNumber,
    Wrong,
    case,
    drawn,
    in_order,
)
from why_sqrt_d.experiments import stored

TEXTS = Texts(__file__)


#: Of ten runs with β = 6.55 and ten tokens: those above 95 %.
ABOVE = 6

HOW_MANY = TEXTS.exercise(
    "6.0",
    difficulty=1,
    kind=PredictNumber(ABOVE, rtol=1e-9, near=1.25),
    wrong={"all": 10, "none": 0, "half": 5, "share": 0.6, "certain": 1},
    forms=(f"{ABOVE}", float(ABOVE)),
)


def _parameters(n: int) -> Exercise:
    first, last, biases, norms = 20 * n + 20, 21 * n, n + 180, 120
    total = first + 1260 + 420 + 840 + 820 + 420 + last + norms
    return TEXTS.exercise(
        "6.6",
        difficulty=2,
        kind=Number(total, rtol=1e-9),
        wrong={
            "no biases, no shifts": total - biases - 60,
            "no biases": total - biases,
            "no norms": total - norms,
            "no shifts": total - 60,
            "neither": total - biases - norms,
            "no square": total - 420,
            "one of three": total - 840,
            "no output": total - last,
            "no input": total - first,
            "norms twice": total + norms,
            "twenty": total - 20,
            "forty": total - 40,
            "eighty": total - 80,
            "no last biases": total - n,
            "no way back": total - 820,
        },
        forms=(f"{first}+1260+420+840+820+420+{last}+120", float(total)),
        numbers={"n": n, "first": first, "last": last, "total": total},
    )


PARAMETERS = drawn(
    _parameters,
    {"n": 10},
    lambda random: {"n": random.choice((6, 8, 9, 14, 16, 18, 25, 30, 50, 60, 64, 80, 100, 128))},
)


def _steps(strings: int, batch: int, epochs: int) -> Exercise:
    full = strings // batch
    return TEXTS.exercise(
        "6.7",
        difficulty=1,
        kind=Number(full * epochs, rtol=1e-9),
        wrong={
            "parts": strings / batch * epochs,
            "filled": (full + 1) * epochs,
            "one": full,
            "strings": strings * epochs,
            "one filled": full + 1,
            "one with a part": strings / batch,
            "shared out": strings / epochs,
            "multiplied": strings * batch,
        },
        forms=(f"{full * epochs} steps", f"{full}*{epochs}", float(full * epochs)),
        numbers={
            "strings": strings,
            "batch": batch,
            "epochs": epochs,
            "ratio": strings / batch,
            "full": full,
            "steps": full * epochs,
            "shared": strings / epochs,
        },
    )


STEPS = drawn(
    _steps,
    {"strings": 15_000, "batch": 128, "epochs": 10},
    lambda random: {
        "strings": random.choice((5000, 6000, 10000, 12000, 15000, 20000)),
        "batch": random.choice((32, 64, 96, 128, 256)),
        "epochs": random.choice((5, 8, 10, 12, 20)),
    },
)

PLACES = TEXTS.exercise(
    "6.1",
    difficulty=2,
    kind=lambda words: Choice(words["Options"], right="b"),
    forms=("B", "(b)"),
)


def _equivalent(f: float) -> Exercise:
    return TEXTS.exercise(
        "6.2",
        difficulty=2,
        kind=Number(f**2, rtol=1e-6),
        wrong={
            "once": f,
            "rate": f**4,
            "added": 2 * f,
            "inverse": 1 / f**2,
            "cube": f**3,
            "one over": 1 / f,
            "root": np.sqrt(f),
        },
        forms=(f"{f:g}*{f:g}", f"{f:g}^2"),
        numbers={"f": f"{f:g}", "square": f"{f**2:g}"},
    )


EQUIVALENT = drawn(
    _equivalent,
    {"f": 3},
    lambda random: {"f": random.choice((1.5, 2.5, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20))},
)

FAIR = TEXTS.exercise(
    "6.4",
    difficulty=1,
    kind=lambda words: in_order(words, any_order=True),
    forms=(("budget", "split", "search", "again", "test"),),
)

SEEDS = Exercise(
    id="6.8",
    title="Ten seeds in three numbers",
    difficulty=1,
    statement=(
        "The ten runs with ten tokens and $\\beta = 6.55$ end with the accuracies 0.142, 0.167, "
        "0.188, 0.849, 0.951, 0.959, 0.977, 0.984, 0.990 and 0.997. Give the mean, the median, and "
        "the share of runs that are above $0.95$."
    ),
    kind=Array([0.7204, 0.955, 0.6], rtol=1e-3),
    wrong=(
        Wrong([0.7204, 0.955, 0.5], "0.951 is above 0.95 too, if only just."),
        Wrong(
            [0.7204, 0.951, 0.6],
            "0.951 is the fifth of ten values; the median is the middle between it and the sixth.",
        ),
        Wrong(
            [0.7204, 0.959, 0.6],
            "0.959 is the sixth of ten values; the median is the middle between the fifth and it.",
        ),
        Wrong([0.955, 0.7204, 0.6], "Mean and median are swapped."),
        Wrong([0.7204, 0.955, 6], "The share is a number between 0 and 1: six of ten."),
        Wrong([0.7204, 0.955, 0.4], "That is the share below 0.95."),
        Wrong([0.955, 0.955, 0.6], "The first is the median, too; the mean is the sum over ten."),
        Wrong([7.204, 0.955, 0.6], "7.204 is the sum; divide it by ten."),
        Wrong([7.204, 0.955, 6], "7.204 is the sum and 6 the number of runs; divide both by ten."),
        Wrong([72.04, 95.5, 60], "Those are per cent: write 0.72, or 72 % with its sign."),
        Wrong(
            [0.7204, 0.5695, 0.6], "The median is the middle of the sorted runs, not of the range."
        ),
    ),
    forms=("0.72 0.955 0.6", "[0.7204, 0.955, 3/5]", (0.7204, 0.955, 0.6)),
    hints=(
        "The sum is $7.204$. They are sorted: the median lies in the middle. Count for the share.",
        "The fifth is $0.951$ and the sixth $0.959$.",
    ),
    solution=(
        "Mean $0.7204$, median $0.955$, share $0.6$. One of these runs could have been published "
        "as one hundred per cent, another as fourteen. No single number describes them, and the mean "
        "describes none of them."
    ),
    passage="[one table, one number a row](06-dynamic-beta.ipynb#ch6-puzzle)",
    learned=(
        "Single runs lie at two heights, and no mean lies at either. So every result of this "
        "chapter is [a strip of runs](06-dynamic-beta.ipynb#ch6-puzzle), not a number."
    ),
)


def _best_and_around(scales: FloatArray, accuracies: FloatArray) -> tuple[Any, FloatArray]:
    """Return the best scale and its two neighbours."""
    order = np.argsort(scales)
    tried, best = scales[order], int(np.nanargmax(accuracies[order]))
    return tried[best], tried[[best - 1, best + 1]]


def next_scales(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    """Return the two geometric middles between the best scale and its neighbours."""
    order = np.argsort(scales)
    tried, best = scales[order], int(np.nanargmax(accuracies[order]))
    return np.sqrt(tried[best] * tried[[best - 1, best + 1]])


def _arithmetic(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    best, around = _best_and_around(scales, accuracies)
    return (best + around) / 2


def _unsorted(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    best = int(np.nanargmax(accuracies))
    around = [(best - 1) % len(scales), (best + 1) % len(scales)]
    return np.sort(np.sqrt(scales[best] * scales[around]))


def _nan_wins(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    order = np.argsort(scales)
    tried, best = scales[order], int(np.argmax(accuracies[order]))
    return np.sqrt(tried[best] * tried[[best - 1, min(best + 1, len(tried) - 1)]])


def _worst(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    order = np.argsort(scales)
    tried, best = scales[order], int(np.nanargmin(accuracies[order]))
    best = min(max(best, 1), len(tried) - 2)
    return np.sqrt(tried[best] * tried[[best - 1, best + 1]])


def _ends(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    best = scales[int(np.nanargmax(accuracies))]
    return np.sqrt(best * np.array([scales.min(), scales.max()]))


def _changes(scales: FloatArray, accuracies: FloatArray) -> FloatArray:
    result = next_scales(scales, accuracies)
    scales.sort()
    return result


def _search_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw scales in any order and at any distance; the best is never at an end."""
    for about, count, overflows in (
        ("three scales", 3, 0),
        ("scales at unequal distances", 4, 0),
        ("five scales in no order", 5, 0),
        ("seven scales and one overflow", 7, 1),
        ("nine scales and three overflows", 9, 3),
    ):
        scales = np.sort(np.exp(rng.uniform(-12, 12, count))).round(9)
        accuracies = rng.uniform(0.1, 0.8, count).round(3)
        best = int(rng.integers(1, count - 1))
        others = np.delete(np.arange(count), best)
        accuracies[rng.choice(others, overflows, replace=False)] = np.nan
        accuracies[best] = 0.9 if overflows else np.nanmax(accuracies) + 1e-9
        order = rng.permutation(count)
        yield case(about, scales[order], accuracies[order])
    yield case("accuracies of zero", np.array([2, 3, 5, 70]), np.array([0.0, 0.2, 0.0, 0.1]))
    chance = np.array([0.01, np.nan, 0.02, 0.01, 0.012])
    yield case("accuracies near chance", np.array([8.0, 90.0, 3.0, 0.2, 1.0]), chance)
    close = np.array([30001.0, 30000.5, 30002.5, 30000.0, 30001.5])
    yield case("scales close together", close, np.array([0.9, 0.3, 0.2, 0.6, 0.8]))


POWERS = np.array([0.01, 0.1, 1.0, 10.0, 100.0])

BRACKET = Exercise(
    id="6.9",
    title="One round of the search",
    difficulty=3,
    statement=(
        "Write `next_scales(scales, accuracies)`: given the scales tried so far, in any order, and "
        "their accuracies, return the two scales to try next, the smaller first: the middles, on a "
        "logarithmic axis, between the best scale and its neighbours on either side. An accuracy "
        "of `nan` (an overflow) counts as the worst. The best scale is never the smallest or the "
        "largest. Do not change the arguments."
    ),
    kind=Function(
        name="next_scales",
        stub="def next_scales(scales, accuracies):\n    ...",
        reference=next_scales,
        mechanisms=(
            Mechanism(
                "best",
                args=(np.array([1.0, 4.0, 36.0, 100.0]), np.array([0.1, 0.9, 0.3, 0.05])),
                say="The best scale is 4, its neighbours are 1 and 36: the middles are 2 and 12.",
            ),
            Mechanism(
                "any order",
                args=(
                    np.array([1.0, 10.0, 0.1, 100.0, 0.01]),
                    np.array([0.3, 0.9, 0.2, 0.4, 0.1]),
                ),
                say="The scales come in any order: sort them, and the accuracies with them.",
            ),
            Mechanism(
                "overflow",
                args=(POWERS, np.array([0.1, 0.2, 0.9, 0.3, np.nan])),
                say="A NaN counts as the worst accuracy; np.argmax would choose it as the best.",
            ),
        ),
        probe=(POWERS[[2, 1, 3]], np.array([0.8, 0.4, 0.5])),
        inputs=_search_inputs,
    ),
    wrong=(
        Wrong(
            _arithmetic,
            "You took the middle between the numbers; on a logarithmic axis it is the root of their product.",
            mechanism="best",
        ),
        Wrong(
            _worst,
            "You went on around the worst accuracy; the search keeps the best.",
            mechanism="best",
        ),
        Wrong(
            lambda scales, accuracies: _best_and_around(scales, accuracies)[1],
            "Those are the neighbours themselves; the next scales lie between them and the best.",
            mechanism="best",
        ),
        Wrong(
            _ends,
            "You went half-way to the ends of all scales; only the neighbours of the best count.",
            mechanism="best",
        ),
        Wrong(
            _unsorted,
            "You took the neighbours in the order in which they were tried; sort by scale first.",
            mechanism="any order",
        ),
        Wrong(
            _nan_wins, "np.argmax chose the NaN; np.nanargmax leaves it out.", mechanism="overflow"
        ),
        Wrong(_changes, "You sorted the argument itself; work on a copy.", mechanism="mutation"),
    ),
    hints=(
        "`np.argsort(scales)` gives an order that works for both arrays.",
        "The middle of $a$ and $b$ on a logarithmic axis is $\\sqrt{ab}$; `np.nanargmax` ignores `nan`.",
    ),
    solution=(
        "```python\ndef next_scales(scales, accuracies):\n"
        "    order = np.argsort(scales)\n"
        "    tried = scales[order]\n"
        "    best = np.nanargmax(accuracies[order])\n"
        "    return np.sqrt(tried[best] * tried[[best - 1, best + 1]])\n```\n\n"
        "Sorting both arrays by scale puts the neighbours side by side. Each round halves the bracket on a logarithmic axis. It "
        "finds the peak if there is one peak; the accuracies of this chapter, with one seed each, "
        "often have several."
    ),
    passage="[the search](06-dynamic-beta.ipynb#ch6-search)",
    learned=(
        "A bracket on a logarithmic axis halves with every round, if there is one peak. With "
        "one seed a setting there are several: [what the search "
        "found](06-dynamic-beta.ipynb#ch6-search)."
    ),
)

CONFOUNDER = TEXTS.exercise(
    "6.3",
    difficulty=2,
    kind=lambda words: Choice(words["Options"], right="b"),
    forms=("B", "(b)"),
)


def _best_of(tenths: int, k: int) -> Exercise:
    share = tenths / 10
    value = 1 - (1 - share) ** k
    return TEXTS.exercise(
        "6.5",
        difficulty=1,
        kind=Number(value, rtol=2e-3),
        wrong={
            "all": share**k,
            "one": share,
            "none": (1 - share) ** k,
            "sum": k * share,
            "certain": 1,
            "exactly": k * share * (1 - share) ** (k - 1),
            "some fail": 1 - share**k,
            "fails": 1 - share,
            "fewer": 1 - (1 - share) ** (k - 1),
        },
        forms=(f"1-{1 - share:g}^{k}", f"{value:.4f}"),
        numbers={
            "share": f"{share:g}",
            "failing": f"{1 - share:g}",
            "often": 10 - tenths,
            "k": k,
            "lost": (1 - share) ** k,
            "value": value,
        },
    )


BEST_OF = drawn(
    _best_of,
    {"tenths": 6, "k": 5},
    lambda random: {"tenths": random.choice((2, 3, 4, 7)), "k": random.choice((3, 4, 5))},
)

ENOUGH = 0.95  #: of the places right, in every one of the five trainings


@cache
def _trained() -> dict[float, list[float]]:
    """Return the accuracies of the trainings with three epochs, by learning rate."""
    found: dict[float, list[float]] = {}
    for run in stored("short_budget"):
        found.setdefault(run["learning_rate"], []).append(run["test_accuracy"])
    return found


def try_rate(rate: float) -> Finding:
    """Say how the five trainings ended whose learning rate is nearest."""
    near = min(_trained(), key=lambda tried: abs(math.log(tried / rate)))
    right = sorted(_trained()[near])
    above = sum(x > ENOUGH for x in right)
    line = f"Trained at {near:g}, the nearest rate of {len(_trained())}: {above} of {len(right)}"
    worst, best = (f"{100 * x:.3g} %" for x in (right[0], right[-1]))
    line = f"{line} end above 95 %, the worst at {worst}, the best at {best}."
    return Finding(above == len(right), line)


BUDGET = TEXTS.exercise(
    "6.10",
    difficulty=2,
    kind=TriedNumber(0.02, trial=try_rate, span=(1e-4, 1.0), count=25),
    wrong={"paper": 5e-4, "chapter": 3e-3, "one": 1},
    forms=("0.02", 0.03, "2e-2"),
)

EXERCISES = (
    HOW_MANY,
    PARAMETERS,
    STEPS,
    SEEDS,
    PLACES,
    EQUIVALENT,
    CONFOUNDER,
    BRACKET,
    FAIR,
    BEST_OF,
    BUDGET,
)
