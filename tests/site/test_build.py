"""What a change runs again, on a small tree."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import execute, pyodide

READS = """import json, pathlib, sys
sys.path.insert(0, "..")
import why_sqrt_d_small.model
print(why_sqrt_d_small.model.WIDTH, pathlib.Path("data/rows.jsonl").read_text())"""
NOTEBOOKS = {
    "1-reads": READS,
    "2-asks": 'exercise("1.1")',
    "3-broken": "answer = 1 / 0",
    "4-dead": "import os\nos._exit(1)",
    "5-warns": "import sys\nsys.stderr.write('careful')",
}
FILES = {
    "why_sqrt_d_small/model.py": "WIDTH = 64",
    "why_sqrt_d_small/other.py": "",
    "why_sqrt_d_small/live.js": "",
    "book/data/rows.jsonl": "{}",
    "book/assets/course.css": "",
    "book/page.md": "",
    "requirements/book.txt": "",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Notebooks, one of which imports one module of two and reads one file of data."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name, code in NOTEBOOKS.items():
        cells = [new_markdown_cell("As it stods.", id="words")]
        cells += [new_code_cell("from why_sqrt_d.exercises import exercise", id="imports")]
        cells += [new_code_cell(code, id="code")]
        nbformat.write(new_notebook(cells=cells), tmp_path / "book" / f"{name}.ipynb")
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # a reader's Python writes it
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    monkeypatch.setattr(
        execute, "COUNTED", ("why_sqrt_d_small/", "book/", "requirements/book.txt")
    )
    return tmp_path


def test_what_has_changed_runs_again_and_what_fails_is_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    paths, cache = sorted((tree / "book").glob("*.ipynb")), tree / "cache"

    def out_of_date() -> list[str]:
        return [path.stem[0] for path in paths if execute.from_cache(path, cache) is None]

    said = sorted(execute.execute(paths, cache, 60))
    assert "Executing 5 notebooks" in capfd.readouterr().out
    for text, part in zip(said, ("3-broken.ipynb", "4-dead", "5-warns"), strict=True):
        assert text.startswith(part)
    assert "ZeroDivisionError" in said[0]
    assert "careful" in said[2]
    assert out_of_date() == ["3", "4", "5"]
    paths = paths[:2]
    assert execute.execute(paths, cache) == []  # both are stored: nothing runs
    tries = iter([RuntimeError("Kernel died before replying to kernel_info"), "done"])

    def late(path: Path, timeout: int) -> str:
        if isinstance(found := next(tries), Exception):
            raise found
        return found

    with monkeypatch.context() as patch:
        patch.setattr(execute, "run", late)
        assert execute.run_with_retry(paths[0], 60) == "done"
    assert capfd.readouterr().out == ""
    for shown in ("why_sqrt_d_small/live.js", "why_sqrt_d_small/other.py", "book/page.md"):
        (tree / shown).write_text("changed")
    reads = paths[0]
    reads.write_text(reads.read_text().replace("stods", "stands"))
    assert out_of_date() == []
    for read in ("why_sqrt_d_small/model.py", "book/data/rows.jsonl", "requirements/book.txt"):
        (tree / read).write_text("changed")
        assert out_of_date() == (["1", "2"] if read == "requirements/book.txt" else ["1"])
        (tree / read).write_text(FILES[read])
    reads.write_text(reads.read_text().replace("import json", "import json  "))
    assert out_of_date() == ["1"]

    # An exercise's words reach its page without a kernel.
    asks, changed = paths[1], execute.exercise_output("1.2")
    for words in (execute.exercise_output("1.1"), changed):
        assert execute.from_cache(asks, cache).cells[-1].outputs == [words]
        monkeypatch.setattr(execute, "exercise_output", lambda _: changed)
    monkeypatch.setattr(execute, "ASKS", re.compile("nothing"))
    assert execute.from_cache(asks, cache).cells[-1].outputs == [changed]  # kept for the pages


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
