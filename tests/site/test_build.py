"""The build notices what Sphinx and jupyter-cache do not, and executes notebooks side by side."""

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache
from nbformat.v4 import new_code_cell, new_notebook

from tools import build_book, pyodide
from tools.execute import execute, is_stored


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree with one file of each kind, and a build that only takes note."""
    for name in (
        "attn_helpers/weights.py",
        "why_sqrt_d/ch3/figures.py",
        "book/data/runs.jsonl",
        "book/assets/course.css",
        "book/index.md",
        "book/claims.yml",
        "requirements.txt",
        "_config.yml",
        "_toc.yml",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("execute: {timeout: 60}")
    build = tmp_path / "_build"
    for name, value in {
        "ROOT": tmp_path,
        "BOOK": tmp_path / "book",
        "BUILD": build,
        "HTML": build / "html",
        "CONFIG": tmp_path / "_config.yml",
        "RECORD": build / "fingerprints.json",
        "EXECUTION_CACHE": build / ".jupyter_cache",
        "notebooks": lambda: [],
        "pages": lambda: [tmp_path / "book" / "index.md"],
        "LITE": build / "lite",
        "STAMP": build / "lite" / "stamp.json",
        "fetch": lambda: None,
        "prepare_environment": lambda: None,
    }.items():
        monkeypatch.setattr(build_book, name, value)
    return tmp_path


@pytest.fixture
def runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> list:
    """Whether each build had --all and a warm cache; each leaves a page and a cache behind."""
    found: list = []

    def run(command: list, **_: object) -> subprocess.CompletedProcess:
        cache = project / "_build" / ".jupyter_cache"
        found.append({"all": "--all" in command, "warm": cache.exists()})
        (project / "_build" / "html").mkdir(parents=True, exist_ok=True)
        (project / "_build" / "html" / "index.html").write_text("built")
        cache.mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, run.code)

    run.code = 0  # type: ignore[attr-defined]
    found.append(run)
    monkeypatch.setattr(build_book.subprocess, "run", run)
    return found


def test_a_second_build_with_nothing_changed_does_nothing(runs: list) -> None:
    assert build_book.build() == build_book.build() == 0
    assert runs[1:] == [{"all": True, "warm": False}]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("attn_helpers/weights.py", {"all": True, "warm": False}),
        ("why_sqrt_d/ch3/figures.py", {"all": True, "warm": False}),
        ("book/data/runs.jsonl", {"all": True, "warm": False}),
        ("requirements.txt", {"all": True, "warm": False}),
        ("book/assets/course.css", {"all": True, "warm": True}),
        ("book/claims.yml", {"all": True, "warm": True}),
        ("_config.yml", {"all": True, "warm": True}),
        ("book/index.md", {"all": False, "warm": True}),
    ],
)
def test_a_change_rebuilds_what_depends_on_it(
    project: Path, runs: list, changed: str, expected: dict
) -> None:
    build_book.build()
    with (project / changed).open("a") as stream:
        stream.write("\n")
    build_book.build()
    assert runs[2:] == [expected]


def test_a_failed_build_is_built_again(project: Path, runs: list) -> None:
    build_book.build()
    (project / "book" / "index.md").write_text("second")
    runs[0].code = 1
    assert build_book.build() == 1
    assert not (project / "_build" / "fingerprints.json").exists()
    (project / "book" / "index.md").write_text("first")  # as it was when all was well
    runs[0].code = 0
    assert build_book.build() == 0
    assert len(runs) == 4


def test_a_broken_record_is_no_record(project: Path, runs: list) -> None:
    build_book.build()
    (project / "_build" / "fingerprints.json").write_text("{half")
    build_book.build()
    assert len(runs) == 3
    record = json.loads((project / "_build" / "fingerprints.json").read_text())
    assert set(record) == {"code", "site", "pages", "python", "lite"}


def test_notebooks_for_the_browser_go_when_the_notebooks_change(project: Path, runs: list) -> None:
    build_book.build()
    build_book.STAMP.parent.mkdir()
    build_book.STAMP.write_text(json.dumps(build_book.notebook_stamp()))
    build_book.build()
    assert runs[2] == {"all": True, "warm": True}  # with their buttons
    assert build_book.STAMP.exists()
    (project / "book" / "index.md").write_text("changed")
    build_book.build()
    assert not build_book.LITE.exists()


def test_other_python_rebuilds_the_pages(
    project: Path, runs: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_book.build()
    monkeypatch.setenv("PYODIDE_DIST", "/somewhere")
    build_book.build()
    assert runs[2:] == [{"all": True, "warm": True}]


def test_a_book_needs_no_npm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text((pyodide.ROOT / name).read_text("utf-8"))
    monkeypatch.setattr(pyodide, "ROOT", tmp_path)
    monkeypatch.setattr(pyodide, "PYODIDE", tmp_path / "node_modules" / "pyodide")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    pyodide.fetch()
    assert pyodide.fetched_version() == ""
    assert "the pages will run no code" in capfd.readouterr().err


def notebook(path: Path, source: str) -> Path:
    """Write a notebook of one cell."""
    nbformat.write(new_notebook(cells=[new_code_cell(source, id="cell-000")]), path)
    return path


def test_notebooks_run_side_by_side_and_once_and_those_that_fail_are_named(
    tmp_path: Path, capfd
) -> None:
    """Two wait for what the other writes: one after the other, none would come to its end."""
    wait = """import pathlib, time
pathlib.Path({!r}).touch()
while not pathlib.Path({!r}).exists():
    time.sleep(0.05)"""
    good = [
        notebook(tmp_path / "a.ipynb", wait.format("a", "b")),
        notebook(tmp_path / "b.ipynb", wait.format("b", "a")),
    ]
    broken = notebook(tmp_path / "broken.ipynb", "answer = 1 / 0")
    dead = notebook(tmp_path / "dead.ipynb", "import os\nos._exit(1)")
    cache = tmp_path / "cache"
    said = sorted(execute([broken, dead, *good], cache, timeout=60))  # the last run first
    assert [text.partition("\n")[0] for text in said] == [
        "broken.ipynb failed:",
        "dead.ipynb failed:",
    ]
    assert "answer = 1 / 0" in said[0]
    assert "ZeroDivisionError" in said[0]
    said = capfd.readouterr().out
    assert "a runs" in said
    assert "1 left" in said
    assert "0 left" in said
    assert all(is_stored(get_cache(cache), path) for path in good)
    assert not any(is_stored(get_cache(cache), path) for path in (broken, dead))
    assert execute(good, cache, timeout=60) == []
    assert capfd.readouterr().out == ""


def test_a_notebook_that_fails_stops_the_build_and_is_shown(
    runs: list, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(build_book, "execute", lambda *_: ["01-broken.ipynb failed:\nwhy"])
    assert build_book.build() == 1
    assert "01-broken.ipynb failed:\nwhy" in capsys.readouterr().err
    assert runs[1:] == []
