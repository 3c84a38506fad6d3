"""Time contenders in turns within one run, so that a slow moment of the machine hits all alike."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Timing:
    """Seconds for one call: median and interquartile range; ratio of each turn to the rival's."""

    median: float
    quartiles: tuple[float, float]
    ratio: float  # median over turns of ours/theirs; 1 for ours
    ratio_quartiles: tuple[float, float]


def _quartiles(values: list[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles(values, n=4)
    return low, high


def _once(function: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        function()
    return (perf_counter() - start) / calls


def _calls_per_turn(function: Callable[[], object], seconds: float) -> int:
    function()  # compile, allocate, fill caches
    return max(1, int(seconds / max(_once(function, 3), 1e-9)))


def time_in_turns(
    contenders: dict[str, Callable[[], object]], turns: int = 25, seconds: float = 0.004
) -> dict[str, Timing]:
    """Time every contender once a turn, `seconds` long or one call; the first one is ours.

    The ratio is taken within each turn and its median reported: neighbouring measurements share
    the state of the machine, which the ratio of two medians does not use. Even turns go
    backwards, so that no contender always follows the same one.
    """
    calls = {name: _calls_per_turn(f, seconds) for name, f in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(turns):
        for name in list(contenders) if turn % 2 else reversed(list(contenders)):
            times[name].append(_once(contenders[name], calls[name]))
    ours = times[next(iter(contenders))]
    results = {}
    for name, mine in times.items():
        ratios = [a / b for a, b in zip(ours, mine, strict=True)]
        results[name] = Timing(
            statistics.median(mine),
            _quartiles(mine),
            statistics.median(ratios),
            _quartiles(ratios),
        )
    return results
