"""Functions that misbehave: one line in time, and the process that asked is unharmed."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import demo
import hostile
import numpy as np
import psutil
import pytest

from why_sqrt_d.exercises import all_exercises, check
from why_sqrt_d.exercises.guard import guarded
from why_sqrt_d.exercises.model import Reply

FUNCTION = demo.FUNCTION.id


def children():
    """Return this process's children: a browser of another test may be among them."""
    return set(psutil.Process().children())


@pytest.mark.parametrize("name", hostile.functions())
def test_bad_functions_get_one_line(name):
    hostile.assert_harmless(FUNCTION, hostile.functions()[name])


@pytest.mark.parametrize("name", hostile.functions())
def test_functions_are_no_answer_elsewhere(name):
    for exercise in (demo.NUMBER, demo.CHOICE, demo.ORDER, demo.ARRAY):
        hostile.assert_harmless(exercise.id, hostile.functions()[name])


@pytest.mark.parametrize("name", hostile.slow())
def test_endless_functions_are_stopped(name):
    hostile.assert_harmless(FUNCTION, hostile.slow()[name])


def test_endless_array_is_stopped():
    hostile.assert_harmless(demo.ARRAY.id, hostile.Looping())


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("raises", "raised ValueError: first line second line"),
        ("recurses", "calls itself without end"),
        ("exits", "leave out exit()"),
        ("leaves", "leave out exit()"),
        ("aborts", "SIGABRT"),
        ("hogs", "ran out of memory"),
        ("async", "use return, not yield or async"),
        ("generator", "use return, not yield"),
        ("no argument", "your function does not take it"),
        ("text", "returned str"),
        ("broadcast", "yours has shape (100000, 100000)"),
        ("input", "raised"),
    ],
)
def test_the_line_names_what_happened(name, line):
    assert line in check(FUNCTION, hostile.functions()[name]).message


def test_returning_nothing_asks_for_return():
    assert "did you forget return?" in check(FUNCTION, lambda scores: print(scores)).message
    assert "still to be written" in check(FUNCTION, lambda scores: ...).message


def test_a_value_instead_of_the_function():
    message = check(FUNCTION, np.ones(3)).message
    assert "softmax_rows without brackets" in message


def test_nothing_is_left_behind(capfd):
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    before = children()
    check(FUNCTION, hostile.floods)
    check(FUNCTION, hostile.forks)
    check(FUNCTION, lambda *a: 1 / 0)
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == files
    assert children() <= before
    assert capfd.readouterr() == ("", "")


def test_a_child_of_the_childs_is_killed(tmp_path):
    """A process the learner's function starts does not outlive the check."""

    def starts(scores):
        if os.fork() == 0:
            time.sleep(0.7)
            (tmp_path / "alive").touch()
            os._exit(0)
        return scores

    assert not check(FUNCTION, starts)
    time.sleep(1.2)
    assert not (tmp_path / "alive").exists()


def test_the_learners_function_cannot_change_the_notebook():
    seen = []
    check(FUNCTION, lambda scores: seen.append(1) or scores)
    assert seen == []


def test_a_process_the_function_forks_has_no_say():
    """A grandchild that answers right, and first, does not make the answer right."""

    def forks(scores):
        if os.fork() == 0:
            return demo.softmax_rows(scores)
        time.sleep(0.2)
        return scores

    assert not check(FUNCTION, forks)


def test_no_warning_about_forking():
    """Python 3.12 and JAX warn when a process with threads forks; a reader cannot act on it."""
    code = (
        f"import os, sys, warnings; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import demo; from why_sqrt_d.exercises import check, registered\n"
        "os.register_at_fork(before=lambda: warnings.warn('forking', RuntimeWarning))\n"
        "with registered(demo.EXERCISES): print(check('0.8', demo.softmax_rows))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("✓ 0.8  Right.\n", "")


@pytest.fixture
def interruptible():
    """Let Ctrl-C interrupt, as it does not in a test run started in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_by_the_reader_works():
    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), 2)

    before = children()
    presser = threading.Thread(target=press)
    presser.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        check(FUNCTION, hostile.slow()["loops"])
    assert time.perf_counter() - start < 2
    presser.join()
    assert children() <= before


@pytest.mark.parametrize("backend", ["fork", "thread", "inline"])
def test_backends_agree(backend):
    good = Reply(True, "Right.")
    out = sys.stdout
    assert guarded(lambda note: good, backend=backend) == good

    def raising(note):
        note("f(1)")
        raise SystemExit

    assert "SystemExit" in guarded(raising, backend=backend).message

    def endless(note):
        note("f(1)")
        while True:
            print("flood")

    start = time.perf_counter()
    reply = guarded(endless, limit=0.5, backend=backend)
    assert not reply.passed
    assert reply.message.startswith("f(1) took longer than 0.5 s")
    assert time.perf_counter() - start < 2
    assert sys.stdout is out
    assert not [t for t in threading.enumerate() if t.name == "exercise"]


@pytest.mark.parametrize("backend", ["thread", "inline"])
def test_functions_elsewhere_than_linux(backend, monkeypatch):
    monkeypatch.setattr(
        "why_sqrt_d.exercises.checking.guarded", lambda job: guarded(job, backend=backend)
    )
    assert check(FUNCTION, demo.softmax_rows)
    assert "axis 0" in check(FUNCTION, demo.over_columns).message
    for name in ("raises", "recurses", "mutates", "exits", "async", "no argument"):
        hostile.assert_harmless(FUNCTION, hostile.functions()[name])


@pytest.mark.parametrize(
    "exercise_id",
    [
        None,
        1.3,
        [],
        "9.99",
        "",
        "x" * 10**6,
        "1\n2",
        hostile.Liar(),
        hostile.Text("1.1"),
        b"1.1",
        "\ud800",
    ],
    ids=lambda _: "id",
)
def test_unknown_exercise_gets_a_line(exercise_id):
    verdict = check(exercise_id, 1)
    assert not verdict
    assert "\n" not in str(verdict)
    assert len(str(verdict)) < 900


def test_unknown_exercise_is_guessed():
    assert "Did you mean 0.8?" in check("0.80", 1).message
    assert "0.9" in check("77", 1).message


def test_an_engine_fault_is_not_right(monkeypatch):
    def faulty(*a, **k):
        raise ZeroDivisionError

    monkeypatch.setattr("why_sqrt_d.exercises.kinds.number.judge_value", faulty)
    verdict = check(demo.NUMBER.id, 1)
    assert not verdict
    assert "itself failed" in verdict.message


def test_verdict_is_plain():
    verdict = check(demo.NUMBER.id, "√512")
    assert str(verdict) == repr(verdict) == "✓ 0.1  Right. The variance is 512."
    assert str(check(demo.NUMBER.id)).startswith("· 0.1  No answer yet: put yours")
    assert check(demo.NUMBER.id, None).blank
    assert {e.id for e in all_exercises()} >= {e.id for e in demo.EXERCISES}


def test_importing_needs_numpy_only():
    """No plotting, no widgets, no IPython until something is displayed."""
    code = (
        "import sys; import why_sqrt_d.exercises as e; e.all_exercises(); "
        "print(sorted({'IPython', 'matplotlib', 'ipywidgets', 'scipy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("backend", ["thread", "inline"])
def test_an_endless_function_elsewhere_than_linux(backend, monkeypatch):
    monkeypatch.setattr(
        "why_sqrt_d.exercises.checking.guarded",
        lambda job: guarded(job, limit=0.5, backend=backend),
    )

    def endless(scores):
        while True:
            scores = scores + 1

    message = check(FUNCTION, endless).message
    assert message.startswith("softmax_rows(")
    assert "took longer than 0.5 s" in message
    assert not [t for t in threading.enumerate() if t.name == "exercise"]
