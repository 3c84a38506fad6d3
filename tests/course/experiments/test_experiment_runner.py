"""Running what is missing: on cores, on Dask, interrupted, refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy import grid, toy

from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.runner import run_experiment

HERE = Path(__file__).parent


def values(folder):
    return {(row["base"], row["seed"]): row["value"] for row in stored("toy", folder)}


EXPECTED = {(s["base"], s["seed"]): float(s["base"] ** 2 + s["seed"]) for s in grid(4)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_settings_are_run_once_and_stored_in_order(tmp_path, jobs):
    assert run_experiment(toy(), tmp_path, jobs=jobs, quiet=True) == 12
    assert values(tmp_path) == EXPECTED
    assert list(values(tmp_path)) == list(EXPECTED)
    assert run_experiment(toy(), tmp_path, jobs=jobs, quiet=True) == 0


def test_only_the_asked_rows_and_seeds(tmp_path):
    assert run_experiment(toy(), tmp_path, seeds=2, rows=[1, 3], quiet=True) == 4
    assert set(values(tmp_path)) == {(2, 0), (2, 1), (5, 0), (5, 1)}
    assert run_experiment(toy(), tmp_path, seeds=3, quiet=True) == 5
    assert len(values(tmp_path)) == 9


def test_fewer_seeds_keep_what_is_stored(tmp_path):
    run_experiment(toy(), tmp_path, quiet=True)
    assert run_experiment(toy(), tmp_path, seeds=1, quiet=True) == 0
    assert values(tmp_path) == EXPECTED


def test_a_row_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="toy has rows 1 to 3, not 4"):
        run_experiment(toy(), tmp_path, rows=[4], quiet=True)


def test_a_failing_run_is_named_and_the_finished_ones_stay(tmp_path):
    def with_bad(seeds):
        return [*grid(seeds), {"base": -1, "seed": 0}]

    with pytest.raises(RuntimeError, match=r"'base': -1.*ValueError: base -1 is below zero"):
        run_experiment(toy(grid=with_bad), tmp_path, quiet=True)
    assert values(tmp_path) == EXPECTED


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("after", [1, 4])
def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path, jobs, after):
    command = [sys.executable, str(HERE / "run_toy.py"), str(tmp_path), str(jobs)]
    process = subprocess.Popen(command, start_new_session=True)
    path, until = tmp_path / "toy.jsonl", time.monotonic() + 60
    while not path.exists() or path.read_text().count("\n") < after:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = values(tmp_path)
    assert after <= len(before) < 12
    done = run_experiment(toy(fixed={"exponent": 2, "wait": 0.1}), tmp_path, jobs=2, quiet=True)
    assert done == 12 - len(before)
    assert values(tmp_path) == EXPECTED
    assert path.read_text().count("\n") == 12


def test_two_commands_do_not_write_one_file(tmp_path):
    command = [sys.executable, str(HERE / "run_toy.py"), str(tmp_path), "1"]
    with subprocess.Popen(command, start_new_session=True) as process:
        while not (tmp_path / "toy.jsonl").exists():
            time.sleep(0.01)
        with pytest.raises(RuntimeError, match="another command is writing"):
            run_experiment(toy(), tmp_path, quiet=True)
        process.kill()


def threads(*, seed):
    from threadpoolctl import threadpool_info

    return {"threads": [pool["num_threads"] for pool in threadpool_info()]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_linear_algebra_has_one_thread(tmp_path, jobs, monkeypatch):
    import numpy as np  # so that its library is loaded

    assert np.ones(1) @ np.ones(1) == 1
    one = toy(name="one", run=threads, grid=lambda seeds: [{"seed": 0}], fixed={})
    run_experiment(one, tmp_path, jobs=jobs, quiet=True)
    counts = stored("one", tmp_path)[0]["threads"]
    assert counts
    assert set(counts) == {1}


def test_the_bar_tells_the_remaining_time_by_cost(tmp_path, capfd):
    run_experiment(toy(cost=lambda settings: settings["base"]), tmp_path, seeds=1)
    shown = capfd.readouterr().err
    assert "100%" in shown
    assert "to go" in shown
    assert "3 rows stored" in shown


def test_on_a_dask_cluster(tmp_path):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.run(sys.path.append, str(HERE))  # where the toy's module is
            workers = set(client.run(os.getpid).values())
        done = run_experiment(
            toy(),
            tmp_path,
            jobs=2,
            backend="dask",
            scheduler=cluster.scheduler_address,
            quiet=True,
        )
    assert done == 12
    assert values(tmp_path) == EXPECTED
    assert {row["process"] for row in stored("toy", tmp_path)} <= workers
