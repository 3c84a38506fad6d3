"""Stored rows: whole or not at all, in order, of one kind."""

import sysconfig
import tomllib
from pathlib import Path

import pytest
from toy import toy

from tools.paths import BOOK, ROOT
from why_sqrt_d.experiments import store, stored
from why_sqrt_d.experiments.store import MixedSettingsError, Store

ONE = {"base": 2, "seed": 1}


def written(folder, *settings):
    """Return the store with a row for each of the settings."""
    store = Store(toy(), folder)
    for varied in settings:
        store.add(varied, {"value": 5.0}, 0.25)
    return store


def test_a_row_is_read_back_as_it_was_added(tmp_path):
    Store(toy(), tmp_path).add(ONE, {"value": 5.0, "curve": (1.0, 0.1 + 0.2)}, 0.2512)
    results = {"value": 5.0, "curve": [1.0, 0.1 + 0.2], "seconds": 0.251}
    assert stored("toy", tmp_path) == [{"exponent": 2, "wait": 0.0, **ONE, **results}]
    again = Store(toy(), tmp_path)
    assert len(again) == 1
    assert ONE in again
    assert {"base": 2, "seed": 2} not in again


def test_rows_come_in_the_order_of_the_experiment(tmp_path, monkeypatch):
    mixed = [{"base": base, "seed": seed} for seed in (2, 0, 1) for base in (5, 2, 7, 3)]
    written(tmp_path, *mixed)
    monkeypatch.setattr(store, "all_experiments", lambda: {"toy": toy()})
    found = [(row["base"], row["seed"]) for row in stored("toy", tmp_path)]
    # The experiment has no row 7: rows that it does not name are last.
    assert found == [(base, seed) for base in (2, 3, 5, 7) for seed in (0, 1, 2)]


def test_a_line_that_was_cut_short_does_not_count_and_is_written_again(tmp_path):
    other = {"base": 3, "seed": 0}
    path = written(tmp_path, ONE, other).path
    whole = path.read_bytes()
    for length in range(whole.index(b"\n") + 1, len(whole)):
        path.write_bytes(whole[:length])
        assert [row["base"] for row in stored("toy", tmp_path)] == [2]
    again = Store(toy(), tmp_path)
    assert other not in again
    again.add(other, {"value": 5.0}, 0.25)
    assert path.read_bytes() == whole


def test_a_write_that_fails_costs_its_own_row_only(tmp_path, monkeypatch):
    def full_disk(_):
        raise OSError("no space left")

    with monkeypatch.context() as disk:
        store = written(tmp_path, ONE)
        disk.setattr("os.fsync", full_disk)
        with pytest.raises(OSError, match="no space"):
            store.add({"base": 3, "seed": 0}, {"value": 5.0}, 0.0)
    assert ONE in Store(toy(), tmp_path)


def test_of_two_rows_with_the_same_settings_the_last_counts(tmp_path):
    store = Store(toy(), tmp_path)
    for value in (5.0, 6.0):
        store.add(ONE, {"value": value}, 0.25)
    assert [row["value"] for row in stored("toy", tmp_path)] == [6.0]


def test_other_settings_are_refused(tmp_path):
    written(tmp_path, ONE)
    with pytest.raises(MixedSettingsError, match=r"made with exponent = 2 .* now has 3"):
        Store(toy(fixed={"exponent": 3, "wait": 0.0}), tmp_path)
    with pytest.raises(MixedSettingsError, match="wait"):
        Store(toy(fixed={"exponent": 2}), tmp_path)


def test_a_line_that_is_no_row_is_quoted(tmp_path):
    path = written(tmp_path, ONE).path
    whole = path.read_text()
    for line in ("{", "[]", '{"settings": {}}', "3"):
        path.write_text(f"{whole}{line}\n{whole}")
        with pytest.raises(ValueError, match="line 2, is no stored row") as error:
            Store(toy(), tmp_path)
        assert repr(line) in str(error.value)


def test_what_is_not_stored_names_the_command(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m why_sqrt_d\.experiments toy"):
        stored("toy", tmp_path)


def test_a_notebook_by_itself_reads_what_was_installed(tmp_path, monkeypatch):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    installed.mkdir()
    written(installed, ONE)
    monkeypatch.setattr(store, "installed_folder", lambda: installed)
    monkeypatch.setattr(store, "data_folder", lambda: empty)
    assert [row["value"] for row in stored("toy")] == [5.0]
    with pytest.raises(FileNotFoundError, match="missing"):
        stored("toy", empty)


def test_every_stored_file_is_installed():
    with (ROOT / "pyproject.toml").open("rb") as file:
        where = tomllib.load(file)["tool"]["setuptools"]["data-files"]
    (folder, patterns), *others = where.items()
    assert not others
    assert Path(sysconfig.get_path("data"), folder) == store.installed_folder()
    assert {path for pattern in patterns for path in ROOT.glob(pattern)} == set(
        (BOOK / "data").glob("*.jsonl")
    )
