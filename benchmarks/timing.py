"""Contenders timed in turns on one core: a slow moment of the machine hits all alike."""

import os
import platform
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

NOISE = 1.02  # allowance in the median ratio
TURNS, SECONDS = 25, 0.004  # a contender's turn takes that long, or one call
PINNED = {  # one thread for every contender: otherwise the comparison is of thread pools
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",  # else JAX computes float64 cases in float32
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Target:
    """Ours may take at most `limit` times as long as `rival`, in cases whose name has `only`."""

    rival: str
    limit: float
    only: str = ""


def restart_pinned(openblas_coretype: str | None) -> None:
    """Restart with the settings, which BLAS and XLA read when they are loaded; take one core.

    NumPy's OpenBLAS uses AVX2 kernels on AMD processors that have AVX-512, which XLA uses:
    ``openblas_coretype="SkylakeX"`` lets both use it.
    """
    settings = PINNED | ({"OPENBLAS_CORETYPE": openblas_coretype} if openblas_coretype else {})
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.environ.update(settings)
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]])
    if hasattr(os, "sched_setaffinity"):  # Linux only
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def processor() -> str:
    """Return the processor's name, without which a timing means little."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def compare(
    case: str, contenders: dict[str, Callable[[], object]], targets: Sequence[Target]
) -> list[str]:
    """Print the case's line and return the targets that it misses; the first contender is ours.

    Medians with quartiles in µs, and for each rival the median of ours/theirs turn by turn:
    neighbours in time share the state of the machine. Even turns go backwards, so that no
    contender always follows the same one.
    """
    calls = {}
    for name, function in contenders.items():
        function()  # compile, allocate, fill caches
        calls[name] = max(1, int(SECONDS / max(_once(function, 3), 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(TURNS):
        for name in list(contenders) if turn % 2 else reversed(list(contenders)):
            times[name].append(_once(contenders[name], calls[name]))
    ours, *rivals = times
    parts, ratios = [f"{case:28}", f"{ours} {_quartiles(times[ours], 1e6, 1)} µs"], {}
    for name in rivals:
        turns = [a / b for a, b in zip(times[ours], times[name], strict=True)]
        ratios[name] = statistics.median(turns)
        parts.append(
            f"{name} {_quartiles(times[name], 1e6, 1)} µs ratio {_quartiles(turns, 1, 2)}"
        )
    missed = []
    for target in (t for t in targets if t.only in case and t.rival in ratios):
        late = ratios[target.rival] > target.limit * NOISE
        parts.append(f"{'MISSED' if late else 'ok'} (≤ {target.limit:.2f} × {target.rival})")
        missed += [f"{case}: {target.rival}"] * late
    print(" | ".join(parts), flush=True)
    return missed


def _once(function: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        function()
    return (perf_counter() - start) / calls


def _quartiles(values: list[float], unit: float, digits: int) -> str:
    low, middle, high = (f"{unit * x:.{digits}f}" for x in statistics.quantiles(values, n=4))
    return f"{middle} [{low}, {high}]"
