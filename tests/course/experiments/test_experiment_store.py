"""Stored rows: whole or not at all, in order, of one kind."""

import json
import sysconfig
import tomllib
from pathlib import Path

import pytest
from toy import toy

from tools.paths import BOOK, ROOT
from why_sqrt_d.experiments import store, stored
from why_sqrt_d.experiments.store import MixedSettingsError, Store


def test_a_row_is_read_back_as_it_was_added(tmp_path):
    store = Store(toy(), tmp_path)
    store.add({"base": 2, "seed": 1}, {"value": 5.0, "curve": (1.0, 0.1 + 0.2)}, 0.25)
    assert stored("toy", tmp_path) == [
        {
            "exponent": 2,
            "wait": 0.0,
            "base": 2,
            "seed": 1,
            "value": 5.0,
            "curve": [1.0, 0.1 + 0.2],
            "seconds": 0.25,
        }
    ]
    again = Store(toy(), tmp_path)
    assert len(again) == 1
    assert {"base": 2, "seed": 1} in again
    assert {"base": 2, "seed": 2} not in again


def test_nothing_but_the_file_is_left(tmp_path):
    Store(toy(), tmp_path).add({"base": 2, "seed": 1}, {"value": 5.0}, 0.25)
    assert [path.name for path in tmp_path.iterdir()] == ["toy.jsonl"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    store = Store(toy(), tmp_path)
    store.add({"base": 2, "seed": 1}, {"value": 5.0}, 0.25)
    before = store.path.read_text()

    def full_disk(_):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        store.add({"base": 2, "seed": 2}, {"value": 6.0}, 0.25)
    assert store.path.read_text() == before


def test_adding_the_same_setting_again_does_not_double_it(tmp_path):
    store = Store(toy(), tmp_path)
    for value in (5.0, 6.0):
        store.add({"base": 2, "seed": 1}, {"value": value}, 0.25)
    assert [row["value"] for row in stored("toy", tmp_path)] == [6.0]


def test_sorting_follows_the_order_given_and_keeps_the_rest(tmp_path):
    store = Store(toy(), tmp_path)
    for seed in (3, 2, 1):
        store.add({"base": 2, "seed": seed}, {"value": float(seed)}, 0.0)
    store.sort({"base": 2, "seed": seed} for seed in (1, 2))
    assert [row["seed"] for row in stored("toy", tmp_path)] == [1, 2, 3]


def test_other_fixed_settings_are_refused(tmp_path):
    Store(toy(), tmp_path).add({"base": 2, "seed": 1}, {"value": 5.0}, 0.0)
    with pytest.raises(MixedSettingsError, match=r"made with exponent = 2 .* now has 3"):
        Store(toy(fixed={"exponent": 3, "wait": 0.0}), tmp_path)


def test_other_names_are_refused(tmp_path):
    Store(toy(), tmp_path).add({"base": 2, "seed": 1}, {"value": 5.0}, 0.0)
    with pytest.raises(MixedSettingsError, match="wait"):
        Store(toy(fixed={"exponent": 2}), tmp_path)


@pytest.mark.parametrize("line", ["{", "[]", '{"settings": {}}', "3"])
def test_a_line_that_is_no_row_is_quoted(tmp_path, line):
    Store(toy(), tmp_path).add({"base": 2, "seed": 1}, {"value": 5.0}, 0.0)
    path = tmp_path / "toy.jsonl"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match="line 2, is no stored row") as error:
        Store(toy(), tmp_path)
    assert repr(line) in str(error.value)


def test_what_is_not_stored_names_the_command(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m attn_helpers\.experiments toy"):
        stored("toy", tmp_path)


def test_a_row_is_one_line_of_json(tmp_path):
    store = Store(toy(), tmp_path)
    for seed in (1, 2):
        store.add({"base": 2, "seed": seed}, {"value": 5.0}, 0.0)
    rows = [json.loads(line) for line in store.path.read_text().splitlines()]
    assert [{*row} for row in rows] == [{"settings", "results", "seconds"}] * 2


def test_a_notebook_by_itself_reads_what_was_installed(tmp_path, monkeypatch):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    Store(toy(), installed).add({"base": 2, "seed": 1}, {"value": 5.0}, 0.25)
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
