"""Source D's searches for β: powers of ten, then halving; and its procedure of five steps.

Source D gives the search in two sentences and the procedure in five. What they leave open (when
to stop, which half to keep) is decided here in the plainest way, and every decision is recorded.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from attn_helpers.checks import positive_int

Score = Callable[[float], float]
Train = Callable[[int, float | None], float]


@dataclass(frozen=True)
class Trial:
    """One value of β that was tried, why, and what came of it."""

    scale: float
    score: float
    why: str


@dataclass
class ScaleSearch:
    """What a search tried, in order, every β once."""

    trials: list[Trial] = field(default_factory=list)

    @property
    def best(self) -> Trial:
        """The first trial of the highest score."""
        return max(self.trials, key=lambda trial: trial.score)

    def neighbours(self) -> tuple[float, float]:
        """Return the tried scales next to the best, or the best itself at an end."""
        scales = sorted(trial.scale for trial in self.trials)
        at = scales.index(self.best.scale)
        return scales[max(at - 1, 0)], scales[min(at + 1, len(scales) - 1)]

    def _try(self, score: Score, scale: float, why: str) -> None:
        value = score(scale)
        if math.isnan(value):
            value = -math.inf  # an overflow: this β is no good
        self.trials.append(Trial(scale, float(value), why))


def bracket_scale(score: Score, max_power: int = 3) -> ScaleSearch:
    """Try β = 10^N and 10^-N for N = 0, 1, 2, …, until both new values are worse than the best.

    Source D, section 2, algorithm 2. The peak, if there is one, lies between the best's
    neighbours; two peaks can mislead it: it stops at the first N at which both sides have fallen.
    `score` gives a number to be made large, an accuracy for instance; NaN counts as the worst.
    """
    last, search = positive_int(max_power, "max_power"), ScaleSearch()
    search._try(score, 1.0, "10^0")
    for power in range(1, last + 1):
        before = search.best.score
        for sign in (1, -1):
            search._try(score, 10.0 ** (sign * power), f"10^{sign * power}")
        if max(trial.score for trial in search.trials[-2:]) < before:
            break
    return search


def refine_scale(score: Score, search: ScaleSearch, rounds: int = 3) -> ScaleSearch:
    """Halve the bracket on a logarithmic scale: try the middles on both sides, keep the best.

    Source D, section 2: "binary search". With one peak it ends within a factor 10^(2^-rounds) of
    it; with two it finds one of them. Each round tries at most two new values; `search` is
    continued in place and returned.
    """
    for number in range(1, positive_int(rounds, "rounds") + 1):
        best = search.best.scale
        for end in search.neighbours():
            if end != best:
                search._try(score, math.sqrt(best * end), f"halving {number}")
    return search


@dataclass(frozen=True)
class Decision:
    """One training of the procedure: the step it belongs to, what was set, what came out."""

    step: int
    samples: int
    scale: float | None
    accuracy: float


@dataclass
class Procedure:
    """What the five steps did: every training in order, the size at the end, step 3's β."""

    decisions: list[Decision] = field(default_factory=list)
    samples: int = 0
    scale: float = 1.0

    @property
    def new_accuracy(self) -> float:
        """The accuracy of the searched β at the final size."""
        same = [d for d in self.decisions if (d.samples, d.scale) == (self.samples, self.scale)]
        return same[-1].accuracy

    @property
    def old_accuracy(self) -> float:
        """The accuracy of d^-1/2 at the final size."""
        return self.decisions[-1].accuracy


def five_steps(
    train: Train,
    sizes: Sequence[int],
    *,
    enough: float = 0.5,
    keep: float = 0.95,
    rounds: int = 3,
    max_power: int = 2,
) -> Procedure:
    """Run the five-step procedure of source D's section 3 and record every training.

    It chooses β and the size by the accuracy that it then reports, and searches nothing for
    d^-1/2: it is reproduced here, not recommended.

    ``train(samples, scale)`` trains from the same start and returns an accuracy; a scale of None
    is d^-1/2. `sizes` rise: step 1 begins at the first, step 2 goes on until the accuracy at
    β = 1 is above `enough`, and step 4 goes back while the accuracy is at least `keep`.
    """
    if not sizes or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"sizes must rise, got {list(sizes)}")
    done = Procedure()

    def run(step: int, samples: int, scale: float | None) -> float:
        accuracy = train(samples, scale)
        done.decisions.append(Decision(step, samples, scale, accuracy))
        return accuracy

    for samples in sizes:
        if run(1 if samples == sizes[0] else 2, samples, 1.0) > enough:
            done.samples = samples
            break
    else:
        reached = ", ".join(f"{decision.accuracy:.3g}" for decision in done.decisions)
        raise ValueError(f"no size of {list(sizes)} gives more than {enough} at β = 1: {reached}")

    def score(scale: float) -> float:
        return run(3, samples, scale)

    done.scale = refine_scale(score, bracket_scale(score, max_power), rounds).best.scale
    for smaller in sorted((size for size in sizes if size < samples), reverse=True):
        if run(4, smaller, done.scale) < keep:
            break
        done.samples = smaller
    run(5, done.samples, None)
    return done
