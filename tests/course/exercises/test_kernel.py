"""In a real kernel: one line for an answer that misbehaves; what is solved counts."""

from pathlib import Path

import nbformat
import pytest

from why_sqrt_d.exercises import check, progress, summary

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
    "check('0.8', loops)": "was not done after 1 s and was in line 7 of loops",
    "check('0.8', lambda s: print('x'))": "returned None",
    "check('0.1', 512)": "That is the variance",
    "exercise('0.8')": "**Exercise 0.8: Write softmax** ★★★ (difficulty 3 of 3)",
}


def run(*sources):
    """Run the cells in one kernel; return each cell's outputs."""
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def test_one_line_and_no_traceback_and_an_exercise_as_markdown():
    outputs = run(START, *CELLS)[1:]
    for (source, said), (shown,) in zip(CELLS.items(), outputs, strict=True):
        assert said in shown["data"]["text/plain"], source
        asked = source.startswith("exercise")
        assert ("\n" in shown["data"]["text/plain"]) == asked
        assert ("text/markdown" in shown["data"]) == asked


def test_what_was_solved_in_this_session_counts_once_and_for_good(monkeypatch):
    monkeypatch.setattr(progress, "_last", {})
    for answer, solved in ((..., 0), ("1", 0), (512**0.5, 1), ("1", 1)):
        check("0.1", answer)
        assert summary(0).startswith(f"You have solved {solved} of ")
