"""In a real kernel: one line for an answer that misbehaves; what is solved is kept, or not."""

import json
from pathlib import Path

import nbformat
import pytest

from why_sqrt_d.exercises import check, keep_progress, progress, summary

HERE = Path(__file__).resolve().parent
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

START = f"""import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parents[2])!r}]
import demo
from why_sqrt_d.exercises import check, exercise, time_limit
time_limit.LIMIT = 1
demo.added().start()
def loops(s):
    while True: pass"""
CELLS = {
    "check('0.8', demo.softmax_rows)": "✓ 0.8  Right.",
    "check('0.8', loops)": "was not done after 1 s and was in line 8 of loops",
    "check('0.8', lambda s: print('x'))": "returned None",
    "check('0.1', 512)": "That is the variance",
    "exercise('0.8')": "**Exercise 0.8: Write softmax** ★★★ (difficulty 3 of 3)",
}


def run(*sources):
    """Run the cells in one kernel; return each cell's outputs."""
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def test_one_line_and_no_traceback_and_an_exercise_as_markdown(tmp_path):
    file = tmp_path / "new" / "progress.json"
    first = f"import os; os.environ['WHY_SQRT_D_PROGRESS'] = {str(file)!r}"
    outputs = run(f"{first}\n{START}", *CELLS)[1:]
    for (source, said), (shown,) in zip(CELLS.items(), outputs, strict=True):
        assert said in shown["data"]["text/plain"], source
        asked = source.startswith("exercise")
        assert ("\n" in shown["data"]["text/plain"]) == asked
        assert ("text/markdown" in shown["data"]) == asked
    assert set(json.loads(file.read_text())["exercises"]) == {"0.1", "0.8"}


def test_what_was_solved_in_this_session_counts_once_and_for_good(monkeypatch):
    monkeypatch.setattr(progress, "_last", {})
    for answer, solved in ((..., 0), ("1", 0), ("√512", 1), ("1", 1)):
        check("0.1", answer)
        assert summary(0).startswith(f"You have solved {solved} of ")


def test_what_is_solved_survives_a_restart(tmp_path, monkeypatch):
    """A later session reads the file, adds to it, and can be told not to."""
    file = tmp_path / "progress.json"
    monkeypatch.setenv("WHY_SQRT_D_PROGRESS", str(file))
    monkeypatch.setattr(progress, "in_notebook", lambda: True)

    def later(answer=None):
        progress._last.clear()
        check("0.1", answer)
        progress._last.clear()
        return summary(0).count("✓")

    assert later() == 0
    assert later("√512") == 1
    assert later(...) == 1  # the notebook as it was, run again
    assert [p.name for p in tmp_path.iterdir()] == [file.name]  # nothing half-written
    for broken in ("{", "[]", '{"exercises": {"0.1": 1}}', '{"exercises": 7}'):
        file.write_text(broken)
        assert later() == 0
        assert later("√512") == 1
    keep_progress(False)
    assert later("√512") == 0
    keep_progress(True)
    assert later("√512") == 1
    monkeypatch.setenv("WHY_SQRT_D_PROGRESS", "/dev/null/no/folder")
    assert later("√512") == 0
