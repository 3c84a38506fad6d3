"""In a real kernel: one line for an answer that misbehaves, and the kernel lives on."""

import time
from pathlib import Path

import nbformat
import pytest

HERE = Path(__file__).resolve().parent
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

START = f"""import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parents[2])!r}]
import demo, hostile, os
from why_sqrt_d.exercises import check, exercise, registered
keep = registered(demo.EXERCISES); keep.__enter__()"""
CELLS = {
    "check('0.8', hostile.slow()['loops'])": "took longer than 4 s",
    "check('0.8', hostile.slow()['sums'])": "took longer than 4 s",
    "check('0.8', hostile.functions()['exits'])": "leave out exit()",
    "check('0.8', hostile.functions()['leaves'])": "leave out exit()",
    "check('0.8', hostile.recurses)": "calls itself without end",
    "check('0.8', hostile.floods)": "returned None",
    "check('0.8', lambda s: display('x'))": "raised NameError|returned None",
    "check('0.8', lambda s: input())": "raised",
    "check('0.8', hostile.aborts)": "crashed Python itself",
    "check('0.1', 512)": "That is the variance",
    "check('0.8', demo.softmax_rows)": "✓ 0.8  Right.",
}


@pytest.fixture(scope="module")
def ran():
    """Run the cells in one kernel; return each cell with its outputs and seconds."""
    notebook = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3")
    results = []
    with client.setup_kernel():
        for i, source in enumerate([START, *CELLS, "exercise('0.8')", "exercise('0.8')"]):
            notebook.cells.append(nbformat.v4.new_code_cell(source))
            start = time.perf_counter()
            client.execute_cell(notebook.cells[i], i)
            results.append((source, notebook.cells[i].outputs, time.perf_counter() - start))
    return results


def test_one_line_and_no_traceback(ran):
    for source, outputs, seconds in ran[1 : 1 + len(CELLS)]:
        assert [o.output_type for o in outputs] == ["execute_result"], (source, outputs)
        text = outputs[0]["data"]["text/plain"]
        assert "\n" not in text
        assert any(part in text for part in CELLS[source].split("|")), text
        assert seconds < 5.5, source


def test_display_is_markdown_and_always_the_same(ran):
    (_, first, _), (_, second, _) = ran[-2:]
    assert first == second
    assert set(first[0]["data"]) == {"text/markdown", "text/plain"}
    assert first[0]["data"]["text/plain"] == "Exercise 0.8: Write softmax"
    assert "def softmax_rows(scores):" in first[0]["data"]["text/markdown"]
