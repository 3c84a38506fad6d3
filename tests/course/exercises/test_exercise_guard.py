"""Functions that misbehave: one line in time, and the process that asked is unharmed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import demo
import numpy as np
import psutil
import pytest

from why_sqrt_d.exercises import check, check_code
from why_sqrt_d.exercises.guard import guarded, run_here

FUNCTION = demo.FUNCTION.id


def raises(scores):
    raise ValueError("first line\nsecond line \ud800" + "x" * 10_000)


def recurses(scores):
    return recurses(scores)


def floods(scores):
    print("flood\n" * 1000)
    os.write(2, b"flood\n" * 1000)


def loops(scores):
    while True:
        scores = scores + 1


async def waits(scores):
    return scores


@pytest.fixture
def hurried(monkeypatch):
    """Half a second a call."""
    monkeypatch.setattr("why_sqrt_d.exercises.checking.guarded", partial(guarded, limit=0.5))


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (raises, "raised ValueError: first line second line"),
        (recurses, "calls itself without end"),
        (floods, "returned None: did you forget return?"),
        (waits, "use return, not yield or async"),
        (lambda s: sys.exit(0), "leave out exit()"),
        (lambda s: os._exit(0), "leave out exit() and os._exit()"),
        (lambda s: os.abort(), "crashed Python itself (SIGABRT); your notebook is unharmed"),
        (lambda s: np.empty(6 << 30, dtype=np.uint8), "ran out of memory"),
        (lambda s: (x for x in s), "use return, not yield"),
        (lambda: 1, "your function does not take it"),
        (lambda s: "right", "returned str, which is not an array"),
        (lambda s: {}, "returned dict, which is not an array"),
        (lambda s: print, "was it meant to be called?"),
        (lambda s: np.broadcast_to(0.0, (10**5, 10**5)), "yours has shape (100000, 100000)"),
        (lambda s: input(), "raised EOFError"),
        (len, "yours has shape ()"),
    ],
)
def test_the_line_names_what_happened(function, line):
    verdict = check(FUNCTION, function)
    assert not verdict.passed
    assert line in verdict.message
    assert str(verdict).isprintable()
    assert len(str(verdict)) < 500


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "function", [loops, lambda s: sum(range(10**12)), lambda s: time.sleep(9)]
)
def test_endless_functions_are_stopped(function):
    start = time.perf_counter()
    message = check(FUNCTION, function).message
    assert message.startswith("softmax_rows(np.array(")
    assert "took longer than 0.5 s: is there a loop that never ends?" in message
    assert time.perf_counter() - start < 4


def test_what_is_no_function_is_asked_for_one():
    assert "softmax_rows without brackets" in check(FUNCTION, np.ones(3)).message
    assert "still to be written" in check(FUNCTION, lambda scores: [...][0]).message


def test_nothing_is_left_behind(capfd):
    check(FUNCTION, demo.softmax_rows)  # starts the fork server, which stays
    before = set(psutil.Process().children(recursive=True))
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for function in (floods, recurses, lambda s: 1 / 0, lambda s: os._exit(3)):
        check(FUNCTION, function)
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == files
    assert set(psutil.Process().children(recursive=True)) <= before
    assert capfd.readouterr() == ("", "")


def test_the_learners_function_cannot_change_the_notebook():
    seen = []
    check(FUNCTION, lambda scores: seen.append(1) or scores)
    assert seen == []


def test_a_function_that_waits_for_a_thread_of_the_notebook_does_not_hang():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # the thread is there, and would not be after a fork
        assert check(FUNCTION, lambda s: pool.submit(demo.softmax_rows, s).result())


def test_a_script_is_not_run_again(tmp_path):
    script = tmp_path / "answers.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import demo, numpy as np\n"
        "from why_sqrt_d.exercises import check, registered\n"
        "def mine(scores):\n"
        "    e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "    return e / e.sum(axis=-1, keepdims=True)\n"
        "with registered(demo.EXERCISES): print(check('0.8', mine))"
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("✓ 0.8  Right.\n", "")


@pytest.fixture
def interruptible():
    """Let Ctrl-C interrupt, as it does not in a test run started in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_by_the_reader_works():
    check(FUNCTION, demo.softmax_rows)
    before = set(psutil.Process().children(recursive=True))
    presser = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    presser.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        check(FUNCTION, loops)
    assert time.perf_counter() - start < 3
    presser.join()
    assert set(psutil.Process().children(recursive=True)) <= before


def test_where_there_are_no_processes(monkeypatch):
    """As in a browser: the same verdicts, and an endless loop is stopped."""

    def none(method):
        raise ImportError("no processes here")

    monkeypatch.setattr(multiprocessing, "get_context", none)
    out, trace = sys.stdout, sys.gettrace()
    assert check(FUNCTION, demo.softmax_rows)
    for function in (demo.over_columns, demo.in_place, raises, recurses, lambda s: sys.exit(0)):
        here = check(FUNCTION, function).message
        monkeypatch.undo()
        assert here == check(FUNCTION, function).message
        monkeypatch.setattr(multiprocessing, "get_context", none)
    reply = run_here(partial(demo.FUNCTION.judge, loops), limit=0.5)
    assert reply.message.startswith("softmax_rows(np.array(")
    assert "took longer than 0.5 s" in reply.message
    assert (sys.stdout, sys.gettrace()) == (out, trace)


@pytest.mark.parametrize(
    "exercise_id", [None, 1.3, [], "9.99", "", "x" * 10**6, "1\n2", b"1.1", "\ud800"], ids=repr
)
def test_unknown_exercise_gets_a_line(exercise_id):
    verdict = check(exercise_id, 1)
    assert not verdict
    assert str(verdict).isprintable()
    assert len(str(verdict)) < 900


def test_unknown_exercise_is_guessed():
    assert "Did you mean 0.8?" in check("0.80", 1).message
    assert "0.8" in check("77", 1).message


def test_an_engine_fault_is_not_right(monkeypatch):
    def faulty(*a, **k):
        raise ZeroDivisionError

    monkeypatch.setattr("why_sqrt_d.exercises.kinds.number.Number.compare", faulty)
    verdict = check(demo.NEGATIVE.id, 1)
    assert not verdict
    assert "itself failed" in verdict.message


def test_verdict_is_plain():
    verdict = check(demo.NUMBER.id, "√512")
    assert str(verdict) == repr(verdict) == "✓ 0.1  Right. The variance is 512."
    assert str(check(demo.NUMBER.id)).startswith("· 0.1  No answer yet: put yours")
    assert check(demo.NUMBER.id, None).blank


IN_A_BROWSER = """
import os, sys, _thread
import numpy  # which imports more of Python itself

def refuse(*a, **k): raise OSError("nothing can be started here")
os.fork = _thread.start_new_thread = refuse
sys.platform = "emscripten"
OWN = sys.stdlib_module_names - {"multiprocessing", "subprocess", "concurrent", "asyncio"}
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in OWN | {"numpy", "attn_helpers", "why_sqrt_d"}:
            raise ImportError(f"there is no {name} here")
sys.meta_path.insert(0, Nothing())
from functools import partial
from why_sqrt_d.exercises import Function, all_exercises, check, check_code, checking, guard
checking.run_here = partial(guard.run_here, limit=0.5)
for e in all_exercises():
    if isinstance(e.kind, Function):
        assert check(e.id, e.kind.reference), e.id
        for wrong in e.wrong[:4]:
            assert wrong.say in check(e.id, wrong.answer).message, (e.id, wrong.say)
print(check_code("4.2", "def softmax_vjp(weights, grad):\\n return weights * grad"))
print(check_code("4.2", "def softmax_vjp(weights, grad):\\n while True: pass"))
"""


def test_a_browsers_python_judges_without_processes_threads_and_other_packages():
    run = subprocess.run([sys.executable, "-c", IN_A_BROWSER], capture_output=True, text=True)
    assert run.stderr == ""
    wrong, endless = run.stdout.splitlines()
    assert "You multiplied by diag(p) only" in wrong
    assert "is there a loop that never ends?" in endless


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("def softmax_vjp(weights, grad):\n    return weights *", "Line 2: invalid syntax"),
        ("1 / 0", "Line 1 raised ZeroDivisionError: division by zero."),
        ("x = 3", "begin with def softmax_vjp(…):"),
        ("def mine(weights, grad):\n    ...", "No answer yet"),
        ("", "No answer yet"),
        (3, "Code is asked for"),
        ("raise SystemExit", "Line 1 raised SystemExit"),
        ("def softmax_vjp(p, g):\n    return p * (g - (p * g).sum(-1, keepdims=True))", "Right."),
        ("mine = lambda p, g: p * (g - (p * g).sum(-1, keepdims=True))", "Right."),
    ],
)
def test_code_as_text(source, part):
    verdict = check_code("4.2", source)
    assert part in verdict.message
    assert verdict.passed == (part == "Right.")


def test_importing_needs_numpy_only():
    """No plotting, no widgets, no IPython until something is displayed."""
    code = (
        "import sys; import why_sqrt_d.exercises as e; e.all_exercises(); "
        "print(sorted({'IPython', 'matplotlib', 'anywidget', 'scipy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
