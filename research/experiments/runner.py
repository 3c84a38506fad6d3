"""Run what an experiment still lacks, on this machine's cores."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from research.experiments.definition import Experiment, Settings
from research.experiments.store import Store


def run_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    seeds: int | None = None,
    rows: Sequence[int] | None = None,
    jobs: int = 1,
    quiet: bool = False,
    again: Path | None = None,
) -> int:
    """Run the settings that are not stored yet, store each as it finishes; return how many.

    `seeds` and `rows`, counted from 1, are as in `Experiment.settings`; `jobs` counts processes,
    each with one thread for linear algebra. With a folder `again` what is stored is run once
    more, into that folder.
    """
    from filelock import FileLock
    from joblib import Parallel, delayed
    from tqdm import tqdm

    grid = experiment.settings(seeds, rows)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # The lock ends with the process, however it ends; a second command stops here.
        stack.enter_context(FileLock(folder / f".{experiment.name}.lock", timeout=0))
        store = Store(experiment, folder)
        if again is not None:
            again.mkdir(parents=True, exist_ok=True)
            grid = [settings for settings in grid if settings in store]
            store = Store(experiment, again)
        stack.callback(store.seal)
        missing = [settings for settings in grid if settings not in store]
        total = sum(map(experiment.cost, missing))
        shape = "{desc} {percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} to go"
        bar = tqdm(total=total, desc=experiment.name, bar_format=shape, disable=quiet)
        stack.enter_context(bar)
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        calls = (delayed(_run_one)(experiment.run, experiment.fixed, s) for s in missing)
        for settings, results, seconds in parallel(calls):
            store.add(settings, results, seconds)
            bar.update(experiment.cost(settings))
    return len(missing)


def _run_one(
    run: Callable[..., Mapping[str, Any]], fixed: Mapping[str, Any], varied: Settings
) -> tuple[Settings, Mapping[str, Any], float]:
    """Run one setting on one thread; an error says which setting it was."""
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            results = run(**fixed, **varied)
    except Exception as error:
        message = f"the run of {varied} failed: {type(error).__name__}: {error}"
        raise RuntimeError(message) from error
    return varied, results, time.perf_counter() - start
