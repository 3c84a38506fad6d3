"""Running what is missing: on cores, on Dask, interrupted, refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy import toy

from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.runner import run_experiment

HERE = Path(__file__).parent
EXPECTED = {(base, seed): float(base**2 + seed) for base in (2, 3, 5) for seed in range(4)}


def values(folder):
    return {(row["base"], row["seed"]): row["value"] for row in stored("toy", folder)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_settings_are_run_once(tmp_path, jobs):
    assert run_experiment(toy(), tmp_path, jobs=jobs, quiet=True) == 12
    assert values(tmp_path) == EXPECTED
    assert run_experiment(toy(), tmp_path, jobs=jobs, quiet=True) == 0


def test_only_the_asked_rows_and_seeds(tmp_path):
    assert run_experiment(toy(), tmp_path, seeds=2, rows=[1, 3], quiet=True) == 4
    assert set(values(tmp_path)) == {(2, 0), (2, 1), (5, 0), (5, 1)}
    assert run_experiment(toy(), tmp_path, seeds=3, quiet=True) == 5
    assert len(values(tmp_path)) == 9
    assert run_experiment(toy(), tmp_path, seeds=1, quiet=True) == 0
    assert len(values(tmp_path)) == 9
    with pytest.raises(ValueError, match="toy has rows 1 to 3, not 4"):
        run_experiment(toy(), tmp_path, rows=[4], quiet=True)


def test_a_failing_run_is_named_and_the_finished_ones_stay(tmp_path):
    rows = [{"base": base} for base in (2, 3, 5, -1)]
    with pytest.raises(RuntimeError, match=r"'base': -1.*ValueError: base -1 is below zero"):
        run_experiment(toy(rows=rows), tmp_path, quiet=True)
    assert values(tmp_path) == EXPECTED


@pytest.mark.parametrize(("jobs", "after"), [(1, 1), (2, 4)])
def test_killed_at_any_moment_it_goes_on_where_it_stopped(tmp_path, jobs, after):
    """No second command may write meanwhile; after the kill, nothing is lost or doubled."""
    command = [sys.executable, str(HERE / "run_toy.py"), str(tmp_path), str(jobs)]
    process = subprocess.Popen(command, start_new_session=True)
    path, until = tmp_path / "toy.jsonl", time.monotonic() + 60
    while not path.exists() or path.read_text().count("\n") < after:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    with pytest.raises(RuntimeError, match="another command is writing"):
        run_experiment(toy(), tmp_path, quiet=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = values(tmp_path)
    assert after <= len(before) < 12
    done = run_experiment(toy(fixed={"exponent": 2, "wait": 0.1}), tmp_path, jobs=2, quiet=True)
    assert done == 12 - len(before)
    assert values(tmp_path) == EXPECTED
    assert path.read_text().count("\n") == 12


def threads(*, seed):
    from threadpoolctl import threadpool_info

    return {"threads": [pool["num_threads"] for pool in threadpool_info()]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_linear_algebra_has_one_thread(tmp_path, jobs):
    import numpy as np  # so that its library is loaded

    assert np.ones(1) @ np.ones(1) == 1
    one = toy(name="one", run=threads, rows=[{}], seeds=1, fixed={})
    run_experiment(one, tmp_path, jobs=jobs, quiet=True)
    counts = stored("one", tmp_path)[0]["threads"]
    assert counts
    assert set(counts) == {1}


def test_the_bar_tells_the_remaining_time_by_cost(tmp_path, capfd):
    run_experiment(toy(cost=lambda settings: settings["base"]), tmp_path, seeds=1)
    shown = capfd.readouterr().err
    for said in ("100%", "to go", "3 rows stored"):
        assert said in shown


def test_on_a_dask_cluster(tmp_path):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.run(sys.path.append, str(HERE))  # where the toy's module is
            workers = set(client.run(os.getpid).values())
        address = cluster.scheduler_address
        assert run_experiment(toy(), tmp_path, jobs=2, scheduler=address, quiet=True) == 12
    assert values(tmp_path) == EXPECTED
    assert {row["process"] for row in stored("toy", tmp_path)} <= workers
