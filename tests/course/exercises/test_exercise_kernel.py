"""In a real kernel: one line for an answer that misbehaves, and the kernel lives on."""

import json
from pathlib import Path

import nbformat
import pytest

from why_sqrt_d.exercises import check, keep_progress, summary
from why_sqrt_d.exercises.progress import forget

HERE = Path(__file__).resolve().parent
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

START = f"""import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parents[2])!r}]
import demo, os
from why_sqrt_d.exercises import check, exercise, registered
keep = registered(demo.EXERCISES); keep.__enter__()
import jax; jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
jnp.exp(jnp.ones((3, 3)) @ jnp.ones((3, 3))).block_until_ready()  # JAX's threads are there
def stable(s):
    return jnp.exp(s - s.max(-1, keepdims=True))
def mine(s):
    e = stable(jnp.asarray(s))
    assert e.dtype == "float64"  # JAX is set up there as it is here
    return e / e.sum(-1, keepdims=True)
def loops(s):
    while True:
        pass"""
CELLS = {
    "check('0.8', mine)": "✓ 0.8  Right.",
    "check('0.8', jax.jit(mine))": "✓ 0.8  Right.",
    "check('0.8', loops)": "took longer than 4 s",
    "check('0.8', lambda s: os._exit(0))": "leave out exit()",
    "check('0.8', lambda s: input())": "raised EOFError",
    "check('0.8', lambda s: print('x'))": "returned None",
    "check('0.1', 512)": "That is the variance",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Where the kernel keeps what is solved."""
    return tmp_path_factory.mktemp("progress") / "new" / "progress.json"


@pytest.fixture(scope="module")
def ran(file):
    """Run the cells in one kernel; return each cell's source with its outputs."""
    start = f"import os; os.environ['WHY_SQRT_D_PROGRESS'] = {str(file)!r}\n{START}"
    sources = [start, *CELLS, "exercise('0.8')"]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return {cell.source: cell.outputs for cell in notebook.cells}


@pytest.mark.parametrize("source", CELLS)
def test_one_line_and_no_traceback(ran, source):
    assert [o.output_type for o in ran[source]] == ["execute_result"], ran[source]
    text = ran[source][0]["data"]["text/plain"]
    assert "\n" not in text
    assert CELLS[source] in text


def test_display_is_markdown(ran):
    (shown,) = ran["exercise('0.8')"]
    assert set(shown["data"]) == {"text/markdown", "text/plain"}
    assert shown["data"]["text/plain"].startswith("Exercise 0.8: Write softmax (difficulty")
    assert "def softmax_rows(scores):" in shown["data"]["text/markdown"]


def test_what_is_solved_survives_a_restart(ran, file, monkeypatch):
    """The kernel left a file; a later session reads it, adds to it, and can be told not to."""
    assert set(json.loads(file.read_text())["exercises"]) == {"0.1", "0.8"}
    monkeypatch.setenv("WHY_SQRT_D_PROGRESS", str(file))
    monkeypatch.setattr("why_sqrt_d.exercises.kept.in_notebook", lambda: True)
    forget()
    assert summary(0).solved == 0  # 0.8 was last answered with what prints only
    check("0.1", "√512")
    forget()
    assert check("0.1", ...).blank  # the notebook as it was, run again
    assert summary(0).solved == 1
    assert [p.name for p in file.parent.iterdir()] == [file.name]  # nothing half-written
    for broken in ("{", "[]", '{"exercises": {"0.1": 1}}', '{"exercises": 7}'):
        file.write_text(broken)
        assert summary(0).solved == 0
        assert check("0.1", "√512")
        forget()
        assert summary(0).solved == 1
    keep_progress(False)
    check("0.1", "√512")
    forget()
    assert summary(0).solved == 0
    keep_progress(True)
    check("0.1", "√512")
    forget()
    assert summary(0).solved == 1
    monkeypatch.setenv("WHY_SQRT_D_PROGRESS", "/dev/null/no/folder")
    assert check("0.1", "√512")
