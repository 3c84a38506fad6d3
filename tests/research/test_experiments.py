"""Run, stop, resume, store: the toy experiment on cores and through the command."""

import ctypes
import os
import resource
import runpy
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from functools import partial
from pathlib import Path

import pytest
from filelock import Timeout
from toy import toy

from research.experiments import __main__ as command
from research.experiments import store
from research.experiments.definition import all_experiments
from research.experiments.runner import run_experiment
from research.experiments.store import Store
from tools.paths import ROOT
from why_sqrt_d.rows import select, stored

HERE = Path(__file__).parent
FROM_ROOT = {**os.environ, "PYTHONPATH": str(ROOT)}
ONE, OTHER = {"base": 2, "seed": 1}, {"base": 3, "seed": 0}
EXPECTED = {(base, seed): float(base**2 + seed) for base in (2, 3, 5) for seed in range(4)}


def values(folder):
    return {(row["base"], row["seed"]): row["value"] for row in stored("toy", folder)}


def written(folder, *settings):
    """Return the store with a row for each of the settings."""
    store = Store(toy(), folder)
    for varied in settings:
        store.add(varied, {"value": 0.1 + 0.2}, 0.2512)
    return store


def test_only_the_asked_rows_and_seeds(tmp_path):
    assert run_experiment(toy(), tmp_path, seeds=2, rows=[1, 3], quiet=True) == 4
    assert set(values(tmp_path)) == {(2, 0), (2, 1), (5, 0), (5, 1)}
    assert run_experiment(toy(), tmp_path, quiet=True) == 8
    assert run_experiment(toy(), tmp_path, quiet=True) == 0
    assert values(tmp_path) == EXPECTED
    with pytest.raises(ValueError, match="toy has rows 1 to 3, not 4"):
        run_experiment(toy(), tmp_path, rows=[4], quiet=True)


@pytest.mark.parametrize(
    ("base", "jobs", "said"),
    [(-1, 1, r"'base': -1.*ValueError: base -1 is below zero"), (0, 2, "terminated")],
)
def test_a_failing_run_or_worker_is_named_and_the_finished_ones_stay(tmp_path, base, jobs, said):
    rows = [{"base": base} for base in (2, 3, 5, base)]
    with pytest.raises(RuntimeError, match=said):
        run_experiment(toy(rows=rows), tmp_path, jobs=jobs, quiet=True)
    assert values(tmp_path) == EXPECTED
    run_experiment(toy(), tmp_path, quiet=True)
    assert values(tmp_path) == EXPECTED


def test_a_full_disk_costs_the_line_in_the_making(tmp_path):
    """The system cuts the file at 500 bytes, in a line."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (500, 500))
    run = [sys.executable, str(HERE / "toy.py"), str(tmp_path), "1"]
    done = subprocess.run(run, preexec_fn=limit, capture_output=True, text=True, env=FROM_ROOT)
    assert "OSError: [Errno 27]" in done.stderr
    path, before = tmp_path / "toy.jsonl", values(tmp_path)
    assert len(path.read_bytes()) == 500
    Store(toy(), tmp_path)  # cuts the half line off, and is killed before it seals
    assert run_experiment(toy(), tmp_path, quiet=True) == 12 - len(before) < 12
    assert values(tmp_path) == EXPECTED


def test_a_folder_that_cannot_be_written_is_named_and_its_rows_stay(tmp_path):
    written(tmp_path, ONE)
    for path, mode in ((tmp_path / "toy.jsonl", 0o444), (tmp_path, 0o555)):
        path.chmod(mode)
    obeys = partial(ctypes.CDLL(None).prctl, 24, 1)  # root may write anywhere, or gives it up
    run = [sys.executable, str(HERE / "toy.py"), str(tmp_path), "1"]
    done = subprocess.run(run, preexec_fn=obeys, capture_output=True, text=True, env=FROM_ROOT)
    tmp_path.chmod(0o755)
    assert f"Permission denied: '{tmp_path}" in done.stderr
    assert len(values(tmp_path)) == 1


@pytest.mark.parametrize(("jobs", "after"), [(1, 1), (2, 3)])
def test_killed_at_any_moment_it_goes_on_where_it_stopped(tmp_path, jobs, after):
    """No second command may write meanwhile; after the kill, nothing is lost or doubled."""
    slow = [sys.executable, str(HERE / "toy.py"), str(tmp_path), str(jobs)]
    process = subprocess.Popen(slow, start_new_session=True, env=FROM_ROOT | {"TOY_WAIT": "2"})
    path, until = tmp_path / "toy.jsonl", time.monotonic() + 60
    while not path.exists() or path.read_text().count("\n") < after:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    with pytest.raises(Timeout, match="could not be acquired"):
        run_experiment(toy(), tmp_path, quiet=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = values(tmp_path)
    assert after <= len(before) < 12
    assert run_experiment(toy(), tmp_path, jobs=2, quiet=True) == 12 - len(before)
    assert values(tmp_path) == EXPECTED
    assert path.read_text().count("\n") == 12


def threads(*, seed):
    from threadpoolctl import threadpool_info

    return {"threads": [pool["num_threads"] for pool in threadpool_info()]}


def test_linear_algebra_has_one_thread(tmp_path):
    import numpy as np  # so that its library is loaded

    assert np.ones(1) @ np.ones(1) == 1
    one = toy(name="one", run=threads, rows=[{}], seeds=1, fixed={})
    run_experiment(one, tmp_path, quiet=True)
    assert set(stored("one", tmp_path)[0]["threads"]) == {1}


def test_seeds_stand_together_where_the_file_has_the_first(tmp_path):
    mixed = [{"base": base, "seed": seed} for seed in (2, 0, 1) for base in (5, 2, 7, 3)]
    written(tmp_path, *mixed)
    found = [(row["base"], row["seed"]) for row in stored("toy", tmp_path)]
    assert found == [(base, seed) for base in (5, 2, 7, 3) for seed in (0, 1, 2)]


def test_other_settings_are_refused(tmp_path):
    written(tmp_path, ONE)
    for fixed in ({"exponent": 3}, {}):
        with pytest.raises(ValueError, match=r"other settings .* move the file away"):
            Store(toy(fixed=fixed), tmp_path)


def test_a_file_that_was_changed_is_refused_and_one_that_grew_is_not(tmp_path):
    assert run_experiment(toy(), tmp_path, rows=[1, 2], quiet=True) == 8
    path = tmp_path / "toy.jsonl"
    whole = path.read_bytes()
    for changed in (whole.replace(b"4.0", b"4.1"), whole[:-9], whole[9:]):
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="was changed since it was stored"):
            run_experiment(toy(), tmp_path, quiet=True)
    path.write_bytes(whole + whole.splitlines()[0][:20])  # as a kill leaves it
    assert len(stored("toy", tmp_path)) == 8
    assert run_experiment(toy(), tmp_path, quiet=True) == 4
    assert values(tmp_path) == EXPECTED
    assert run_experiment(toy(), tmp_path, quiet=True, again=tmp_path / "new") == 12
    assert store.differences(toy(), tmp_path, tmp_path / "new") == []
    path.write_bytes(path.read_bytes().replace(b'"value": 28.0', b'"value": 29.0'))
    found = store.differences(toy(), tmp_path, tmp_path / "new")
    assert found == ["value of {'exponent': 2, 'base': 5, 'seed': 3}"]


def test_every_stored_file_is_installed_where_it_is_looked_for(tmp_path):
    with (ROOT / "pyproject.toml").open("rb") as file:
        where = tomllib.load(file)["tool"]["setuptools"]["data-files"]
    (folder,) = where
    alone = runpy.run_path(shutil.copy(ROOT / "why_sqrt_d/__init__.py", tmp_path))
    assert alone["DATA"] == Path(sysconfig.get_path("data"), folder)  # as in an environment


def test_the_command(monkeypatch, tmp_path, capfd):
    assert command.main([]) == 0
    shown = capfd.readouterr().out
    assert all(e.purpose in shown for e in all_experiments().values())
    monkeypatch.setattr(command, "all_experiments", lambda: {"toy": toy()})
    assert command.main(["toy", "--list"]) == 0
    assert "2  base = 3" in capfd.readouterr().out
    there = ["toy", "--folder", str(tmp_path)]
    assert command.main([*there, "--rows", "1-2", "--seeds", "2"]) == 0
    shown = capfd.readouterr()
    assert "4 runs done" in shown.out
    assert "100%" in shown.err
    assert len(stored("toy", tmp_path)) == 4
    assert command.main([*there, "--rows", "9"]) == 1
    assert capfd.readouterr().err == "toy: toy has rows 1 to 3, not 9\n"
    nowhere = ["toy", "--folder", str(tmp_path / "toy.jsonl" / "below a file")]
    assert command.main(nowhere) == 1
    assert "toy: [Errno 20]" in capfd.readouterr().err


def test_a_setting_that_no_row_has_is_not_none_there():
    with pytest.raises(KeyError, match="no stored row has sclae = None"):
        select([{"scale": None, "seed": 0}], sclae=None)
