"""Source D's search for β, its procedure of five steps, and a fair comparison in its place.

Source D gives the search in two sentences and the procedure in five. What they leave open (when
to stop, which half to keep) is decided here in the plainest way. A search is a dict from each
scale that was tried, in order, to its score; `score` gives a number to be made large.
"""

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from research.experiments.definition import early
from why_sqrt_d.digits import short
from why_sqrt_d.encoder import Training, TrainingSettings

Score = Callable[[float], float]
Search = dict[float, float]

SIZES = (1_000, 2_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000)
RATE = 5e-4  # the tutorial's, and the middle of a search for the learning rate
NEW_START = 1_000  # added to a seed: data and parameters that the search has not seen


def best(search: Search) -> float:
    """Return the scale of the highest score, of several the first."""
    return max(search, key=lambda scale: search[scale])


def bracket_scale(score: Score, max_power: int = 3) -> Search:
    """Try β = 10^N and 10^-N for N = 0, 1, 2, …, until both new values are worse than the best.

    Source D, section 2, algorithm 2. The peak, if there is one, lies between the best's
    neighbours; two peaks can mislead it: it stops at the first N at which both sides have fallen.
    """
    search = {1.0: score(1.0)}
    for power in range(1, max_power + 1):
        before = search[best(search)]
        new = [10.0**power, 10.0**-power]
        search |= {scale: score(scale) for scale in new}
        if all(search[scale] < before for scale in new):
            break
    return search


def refine_scale(score: Score, search: Search, rounds: int = 3) -> Search:
    """Halve the bracket on a logarithmic scale: try the middles on both sides, keep the best.

    Source D, section 2: "binary search". With one peak it ends within a factor 10^(2^-rounds) of
    it; with two it finds one of them. Each round tries at most two new values.
    """
    search = dict(search)
    for _ in range(rounds):
        scales, middle = sorted(search), best(search)
        at = scales.index(middle)
        for end in scales[max(at - 1, 0) : at] + scales[at + 1 : at + 2]:
            search[math.sqrt(middle * end)] = score(math.sqrt(middle * end))
    return search


def nine_trials(score: Score) -> Search:
    """Try five powers of ten, then twice the two middles beside the best: nine trials always.

    The middles, by logarithm, are between the best and its neighbours. Where it has a neighbour on
    one side only, the second trial lies as far beyond it.
    """
    search = {factor: score(factor) for factor in (1.0, 10.0, 0.1, 100.0, 0.01)}
    for _ in range(2):
        factors, middle = sorted(search), best(search)
        at = factors.index(middle)
        below = factors[at - 1] if at else middle**2 / factors[1]
        above = factors[at + 1] if at + 1 < len(factors) else middle**2 / factors[at - 1]
        for end in (below, above):
            search[math.sqrt(middle * end)] = score(math.sqrt(middle * end))
    return search


def five_steps(
    train: Callable[[int, float | None], float],
    sizes: Sequence[int],
    *,
    enough: float = 0.5,
    keep: float = 0.95,
    rounds: int = 3,
    max_power: int = 2,
) -> dict[str, Any]:
    """Run the five-step procedure of source D's section 3 and return every training, in order.

    It chooses β and the size by the accuracy that it then reports, and searches nothing for
    d^-1/2: it is reproduced here, not recommended.

    ``train(samples, scale)`` trains from the same start and returns an accuracy; a scale of None
    is d^-1/2. `sizes` rise: step 1 begins at the first, step 2 goes on until the accuracy at
    β = 1 is above `enough`, and step 4 goes back while the accuracy is at least `keep`.
    """
    trail: list[tuple[int, int, float | None, float]] = []

    def run(step: int, samples: int, scale: float | None) -> float:
        trail.append((step, samples, scale, train(samples, scale)))
        return trail[-1][-1]

    grown = (size for size in sizes if run(1 if size == sizes[0] else 2, size, 1.0) > enough)
    samples = next(grown, None)
    if samples is None:
        raise ValueError(f"no size of {list(sizes)} gives more than {enough} at β = 1")

    def score(scale: float) -> float:
        return run(3, samples, scale)

    search = refine_scale(score, bracket_scale(score, max_power), rounds)
    scale, chosen, accuracy = best(search), samples, search[best(search)]
    for smaller in sorted((size for size in sizes if size < samples), reverse=True):
        kept = run(4, smaller, scale)
        if kept < keep:
            break
        chosen, accuracy = smaller, kept
    old = run(5, chosen, None)
    steps, sizes_tried, scales, accuracies = zip(*trail, strict=True)
    return {
        "steps": list(steps),
        "samples": list(sizes_tried),
        "scales": list(scales),
        "accuracies": short(accuracies),
        "chosen_samples": chosen,
        "chosen_scale": scale,
        "new_accuracy": accuracy,
        "old_accuracy": old,
    }


def procedure_run(*, seed: int, test_samples: int, vocabulary: int, length: int) -> dict[str, Any]:
    """Run the five steps, which look at the test accuracy all the way.

    "early" are the losses of the first training's first steps.
    """
    runs: list[Training] = []

    def train(samples: int, scale: float | None) -> float:
        runs.append(Training(TrainingSettings(vocabulary, length, samples, scale), seed).finish())
        runs[-1].test(1_000)  # validation strings, which the procedure does not have
        return runs[-1].test(test_samples)

    done = five_steps(train, SIZES, rounds=2, max_power=2)
    settings = TrainingSettings(vocabulary, length, done["chosen_samples"], done["chosen_scale"])
    again = Training(settings, seed + NEW_START).finish().test(test_samples)
    return done | {"new_start_accuracy": again, "early": early(runs[0].losses)}


def fair_run(
    *, seed: int, test_samples: int, searched: str, vocabulary: int, length: int, samples: int
) -> dict[str, Any]:
    """Search β, or the learning rate at d^-1/2, by `nine_trials`; choose on validation strings.

    A trial's factor is β itself, or multiplies the learning rate. Each trial has a start of its
    own, and so has the winner, which is trained once more and tested on other strings than those
    of validation. "early" are the losses of the first trial's first steps.
    """
    starts, runs = count(NEW_START * (seed + 1)), []

    def validated(factor: float) -> float:
        scale, rate = (factor, RATE) if searched == "scale" else (None, RATE * factor)
        settings = TrainingSettings(vocabulary, length, samples, scale, learning_rate=rate)
        runs.append(Training(settings, next(starts)).finish())
        return runs[-1].test(1_000)

    search = nine_trials(validated)
    chosen = best(search)
    validated(chosen)
    return {
        "factors": short(search),
        "accuracies": short(search.values()),
        "chosen": chosen,
        "validation_accuracy": search[chosen],
        "test_accuracy": runs[-1].test(test_samples),
        "early": early(runs[0].losses),
    }
