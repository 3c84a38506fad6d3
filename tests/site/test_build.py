"""What a change runs and writes again, on a small tree."""

import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import build_book, execute, pyodide

CODE = """import json, pathlib, sys
sys.path.insert(0, "..")
import why_sqrt_d_small.model
print(why_sqrt_d_small.model.WIDTH, pathlib.Path("data/rows.jsonl").read_text())"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook that imports one module of two and reads one file of data."""
    files = {
        "why_sqrt_d_small/model.py": "WIDTH = 64",
        "why_sqrt_d_small/other.py": "",
        "why_sqrt_d_small/live.js": "",
        "book/data/rows.jsonl": "{}",
        "book/assets/course.css": "",
        "book/page.md": "",
        "requirements.txt": "",
        "_config.yml": "",
        "_toc.yml": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    cells = [new_markdown_cell("As it stods.", id="words"), new_code_cell(CODE, id="code")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "book" / "1-one.ipynb")
    asks = new_code_cell('exercise("1.1")', id="asks")
    why = new_code_cell("from why_sqrt_d.exercises import exercise", id="why")
    nbformat.write(new_notebook(cells=[why, asks]), tmp_path / "book" / "2-two.ipynb")
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    monkeypatch.setattr(execute, "COUNTED", ("why_sqrt_d_small/", "book/", "requirements.txt"))
    return tmp_path


def out_of_date(tree: Path) -> list[str]:
    paths = sorted((tree / "book").glob("*.ipynb"))
    return [path.stem for path in paths if execute.stored(path, tree / "cache") is None]


def run(tree: Path) -> list[str]:
    return execute.execute(sorted((tree / "book").glob("*.ipynb")), tree / "cache", 60)


def test_a_notebook_runs_again_when_what_it_reads_has_changed(tree: Path, capfd) -> None:
    assert run(tree) == []
    assert "Executing 2 notebooks" in capfd.readouterr().out
    assert run(tree) == []
    assert capfd.readouterr().out == ""
    for shown in ("why_sqrt_d_small/live.js", "why_sqrt_d_small/other.py", "book/page.md"):
        (tree / shown).write_text("changed")
    one = tree / "book" / "1-one.ipynb"
    one.write_text(one.read_text().replace("stods", "stands"))
    assert out_of_date(tree) == []
    for read in ("why_sqrt_d_small/model.py", "book/data/rows.jsonl"):
        before = (tree / read).read_text()
        (tree / read).write_text("WIDTH = 128")
        assert out_of_date(tree) == ["1-one"]
        (tree / read).write_text(before)
    (tree / "requirements.txt").write_text("numpy")
    assert out_of_date(tree) == ["1-one", "2-two"]
    one.write_text(one.read_text().replace("import json", "import json  "))
    (tree / "requirements.txt").write_text("")
    assert out_of_date(tree) == ["1-one"]


def test_an_exercises_words_reach_its_page_without_a_kernel(tree: Path, monkeypatch) -> None:
    assert run(tree) == []
    two = tree / "book" / "2-two.ipynb"
    before = execute.stored(two, tree / "cache")
    assert before is not None
    assert before.cells[1].outputs == [execute.words("1.1")]
    changed = execute.words("1.2")
    monkeypatch.setattr(execute, "words", lambda _: changed)
    for _ in range(2):  # put there, and kept for who builds the pages
        after = execute.stored(two, tree / "cache")
        assert after is not None
        assert after.cells[1].outputs == [changed]
        monkeypatch.setattr(execute, "ASKS", re.compile("nothing"))


def test_what_fails_is_named_and_runs_again(tree: Path) -> None:
    for name, code in {
        "broken": "answer = 1 / 0",
        "dead": "import os\nos._exit(1)",
        "warns": "import sys\nsys.stderr.write('careful')",
    }.items():
        cells = [new_code_cell(code, id="code")]
        nbformat.write(new_notebook(cells=cells), tree / "book" / f"{name}.ipynb")
    said = sorted(run(tree))
    assert [text.partition(" ")[0] for text in said] == [
        "broken.ipynb",
        "dead.ipynb",
        "warns.ipynb",
    ]
    assert "ZeroDivisionError" in said[0]
    assert "careful" in said[2]
    assert out_of_date(tree) == ["broken", "dead", "warns"]


def test_pages_are_written_again_as_far_as_they_must(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    build, one = tree / "_build", tree / "book" / "1-one.ipynb"
    for name, value in {
        "ROOT": tree,
        "BOOK": tree / "book",
        "HTML": build / "html",
        "CONFIG": tree / "_config.yml",
        "RECORD": build / "fingerprints.json",
        "LITE": build / "lite",
        "pages": lambda: [tree / "book" / "page.md"],
        "notebooks": lambda: [one],
        "fetch": lambda: None,
        "execute": lambda _: ["1-one failed:\nwhy"] if "fails" in one.read_text() else [],
    }.items():
        monkeypatch.setattr(build_book, name, value)
    written: list[bool] = []  # whether every page

    def sphinx(command: list, **_: object) -> subprocess.CompletedProcess:
        written.append("--all" in command)
        (build / "html").mkdir(parents=True, exist_ok=True)
        (build / "html" / "index.html").write_text("built")
        return subprocess.CompletedProcess(command, "fail" in (tree / "_toc.yml").read_text())

    monkeypatch.setattr(build_book.subprocess, "run", sphinx)
    (build / "lite").mkdir(parents=True)
    assert build_book.build() == build_book.build() == 0
    assert (build / "lite").exists()
    (tree / "book" / "page.md").write_text("a typo less")
    build_book.build()
    (tree / "book" / "assets" / "course.css").write_text("a {}")
    build_book.build()
    assert written == [True, False, True]
    (tree / "_toc.yml").write_text("fail")
    assert build_book.build() == build_book.build() == 1  # what failed is no record
    assert len(written) == 5
    one.write_text(one.read_text().replace("stods", "fails"))
    assert build_book.build() == 1
    assert "1-one failed:\nwhy" in capsys.readouterr().err
    assert len(written) == 5
    assert not (build / "lite").exists()  # made of an older notebook


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
