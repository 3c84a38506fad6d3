"""Run what an experiment still lacks, on this machine's cores or on a Dask cluster."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from why_sqrt_d.experiments.definition import Experiment, Settings
from why_sqrt_d.experiments.store import Store

Finished = tuple[Settings, Mapping[str, Any], float]


def run_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    seeds: int | None = None,
    rows: Sequence[int] | None = None,
    jobs: int = 1,
    backend: str = "local",
    scheduler: str | None = None,
    quiet: bool = False,
) -> int:
    """Run the settings that are not stored yet and store each as it finishes.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    folder : path
        Where the file of results is or will be.
    seeds, rows : optional
        Fewer or more seeds than usual; only these rows, counted from 1.
    jobs : int
        Processes, each with one thread for linear algebra.
    backend, scheduler : str
        "local", or "dask" with a scheduler's address.
    quiet : bool
        No progress bar.

    Returns
    -------
    int
        How many runs were done.

    Raises
    ------
    RuntimeError
        If another command writes the same file, or a run fails; finished runs stay stored.
    MixedSettingsError, ValueError
        As `Store` and `Experiment.settings`.
    """
    from tqdm import tqdm

    grid = experiment.settings(seeds, rows)
    with _alone(folder, experiment.name):
        store = Store(experiment, folder)
        missing = [settings for settings in grid if settings not in store]
        total = sum(experiment.cost(settings) for settings in missing)
        shape = "{desc} {percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} to go{postfix}"
        bar = tqdm(total=total, desc=experiment.name, bar_format=shape, disable=quiet)
        with bar, _workers(backend, scheduler):
            for settings, results, seconds in _results(experiment, missing, jobs):
                store.add(settings, results, seconds)
                bar.update(experiment.cost(settings))
                bar.set_postfix_str(f"{len(store)} rows stored")
        store.sort(experiment.settings(seeds))
    return len(missing)


def _results(experiment: Experiment, missing: list[Settings], jobs: int) -> Iterator[Finished]:
    """Give the runs back as they finish, in whatever order."""
    from joblib import Parallel, delayed

    one = delayed(_run_one)
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    return parallel(one(experiment.run, dict(experiment.fixed), varied) for varied in missing)


def _run_one(run: Any, fixed: Settings, varied: Settings) -> Finished:
    """Run one setting on one thread; an error says which setting it was."""
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            results = run(**fixed, **varied)
    except Exception as error:
        raise RuntimeError(
            f"the run of {varied} failed: {type(error).__name__}: {error}"
        ) from error
    return varied, results, time.perf_counter() - start


@contextlib.contextmanager
def _alone(folder: Path, name: str) -> Iterator[None]:
    """Hold the experiment's lock, which ends with the process however it ends."""
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f".{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RuntimeError(f"another command is writing {folder / name}.jsonl") from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _workers(backend: str, scheduler: str | None) -> Iterator[None]:
    """Choose where joblib's runs go."""
    if backend == "local":
        yield
        return
    from distributed import Client
    from joblib import parallel_config

    with Client(scheduler), parallel_config(backend="dask"):
        yield
