"""The collector: reads what it can, runs the rest apart, and no notebook stops it."""

import csv
import json
import os
import sys
import time
from pathlib import Path

import pytest

from tools import collect, grading
from tools.answers import answer_name, stub
from tools.reading_answers import NeedsRunning, Submission, assigned_value, read_value
from why_sqrt_d.exercises import Function, all_exercises, chapter_exercises

FIRST = chapter_exercises(1)
RIGHT = {
    "1.1": "answer_1_1 = 'b'",
    "1.2": "import numpy as np\nanswer_1_2 = np.sqrt(512)",
    "1.6": "import numpy as np\nimport attn_helpers as ah\ndef attention(q, k, v):\n"
    "    return ah.softmax(q @ k.T / np.sqrt(k.shape[-1])) @ v",
}


@pytest.fixture(autouse=True)
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "MEMORY", tmp_path / "memory")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "returned"
    made.mkdir()
    return made


def notebook(path: Path, *answers: str) -> Path:
    """Write a notebook with the stubs of chapter 1, some of them answered."""
    written = {answer_name(found): stub(found) for found in FIRST}
    for source in answers:
        for name in written:
            if name in source:
                written[name] = source
    sources = ["%matplotlib inline\n!ls", "x = 2\nx += 1", *written.values()]
    cells = [{"cell_type": "code", "source": source.splitlines(True)} for source in sources]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    return path


def rows(folder: Path, *options: str) -> dict[tuple[str, str], dict[str, str]]:
    assert collect.main([str(folder), *options]) == 0
    with (folder / "grades.csv").open(encoding="utf-8-sig", newline="") as stream:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(stream)}


def result(answer: str, folder: Path, exercise: str, *options: str) -> tuple[str, str]:
    notebook(folder / "ada.ipynb", answer)
    row = rows(folder, *options)["ada", exercise]
    return row["result"], row["message"]


def test_what_can_be_read_is_graded_without_running(folder, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_finished", lambda *_: pytest.fail("something was run"))
    notebook(folder / "ada" / "one.ipynb", *RIGHT.values())
    table = rows(folder)
    assert len(table) == len(FIRST)
    assert table["ada", "1.1"]["result"] == "right"
    assert table["ada", "1.2"]["answer"] == "np.sqrt(512)"
    assert table["ada", "1.2"]["result"] == "right"
    assert table["ada", "1.3"]["result"] == "empty"
    assert table["ada", "1.6"]["result"] == "not run"


def test_functions_and_computed_answers_are_run_when_asked(folder) -> None:
    computed = "factor = 1 / 9\nanswer_1_3 = 90 * factor"
    notebook(folder / "ada.ipynb", RIGHT["1.6"], computed)
    table = rows(folder, "--run")
    assert table["ada", "1.3"]["result"] == "right"
    assert table["ada", "1.6"]["result"] == "right"


@pytest.mark.parametrize("found", all_exercises(), ids=lambda found: found.id)
def test_a_known_wrong_answer_is_told_its_sentence(found) -> None:
    if not isinstance(found.kind, Function):
        for wrong in found.wrong:
            answer = wrong.answer.tolist() if hasattr(wrong.answer, "tolist") else wrong.answer
            made = Submission([f"{answer_name(found)} = {answer!r}"])
            row = grading._row(found, made, seconds=0)
            assert (row.result, row.message) == ("wrong", wrong.say)


def test_a_stub_is_empty_in_every_kind(folder, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_finished", lambda *_: pytest.fail("something was run"))
    for found in all_exercises():
        row = grading._row(found, Submission([stub(found)]), seconds=5)
        assert row.result == "empty", row


@pytest.mark.parametrize(
    ("answer", "outcome", "part"),
    [
        ("def attention(q, k, v): return q @ k.T", "wrong", "attention("),
        ("def attention(q, k, v): return nothing", "wrong", "raised NameError"),
        ("raise SystemExit\ndef attention(*a): return 1", "wrong", "attention("),
        ("import nowhere\nattention = nowhere.f", "error", "ModuleNotFoundError"),
        ("attention = [].pop()", "error", "IndexError"),
        ("import os\nattention = os._exit(0)", "error", "ended Python itself"),
        ("def f(): return f()\nattention = f()", "error", "RecursionError"),
        ("def attention(q, k, v):\n    return (", "error", "is no Python"),
        ("attention = ...", "empty", ""),
    ],
)
def test_each_trouble_is_one_row(folder, answer, outcome, part) -> None:
    found, message = result(answer, folder, "1.6", "--run")
    assert found == outcome
    assert part in message
    assert "\n" not in message


def test_an_endless_answer_is_ended_with_what_it_started(folder, tmp_path) -> None:
    mark = tmp_path / "alive"
    child = f"import time, pathlib\ntime.sleep(4)\npathlib.Path({str(mark)!r}).touch()"
    answer = (
        f"import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "attention = [0 for _ in iter(int, 1) if p]"
    )
    start = time.monotonic()
    found = result(answer, folder, "1.6", "--run", "--seconds", "2")
    assert found == ("error", "Running it took longer than 2 s.")
    assert time.monotonic() - start < 8
    time.sleep(4)
    assert not mark.exists()


def test_what_is_run_sees_neither_the_folder_nor_the_environment(folder, monkeypatch) -> None:
    monkeypatch.setenv("TEACHERS_TOKEN", "secret")
    answer = (
        "import os\nalone = 'TEACHERS_TOKEN' not in os.environ and os.listdir('.') == []\n"
        "at_home = os.environ['HOME'] == os.getcwd()\n"
        "import attn_helpers as ah\n"
        "def attention(*a): return ah.scaled_dot_product_attention(*a) if alone and at_home else 0"
    )
    assert result(answer, folder, "1.6", "--run")[0] == "right"


BROKEN = {
    "empty": b"",
    "json": b'{"cells": 3}',
    "bytes": b"\xff\xfe\x00",
    "strings": b'{"cells": [{"cell_type": "code", "source": [1]}]}',
    "deep": b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nested": json.dumps(
        {"cells": [{"cell_type": "code", "source": "answer_1_1 = " + "(" * 5000 + ")" * 5000}]}
    ).encode(),
    "foreign": b'{"cells": [{"cell_type": "code", "source": "1 + 1"}]}',
}


def test_one_broken_notebook_never_stops_the_rest(folder, tmp_path) -> None:
    for name, content in BROKEN.items():
        (folder / f"{name}.ipynb").write_bytes(content)
    (folder / ".ipynb_checkpoints").mkdir()
    notebook(folder / ".ipynb_checkpoints" / "copy.ipynb", RIGHT["1.1"])
    outside = notebook(tmp_path / "private.ipynb", RIGHT["1.1"])
    (folder / "link.ipynb").symlink_to(outside)
    notebook(folder / "zoe.ipynb", RIGHT["1.1"])
    table = rows(folder)
    assert table["zoe", "1.1"]["result"] == "right"
    assert {student for student, _ in table} == {*BROKEN, "zoe"}
    for name in BROKEN:
        troubles = [row for (student, _), row in table.items() if student == name]
        assert any(row["result"] == "error" and row["message"] for row in troubles), name


def test_a_fault_of_the_grader_is_a_row_too(folder, monkeypatch) -> None:
    real = grading._graded

    def graded(content: bytes, seconds: int):
        if b"trap" in content:
            raise RuntimeError("trapped")
        return real(content, seconds)

    monkeypatch.setattr(grading, "_graded", graded)
    notebook(folder / "ada.ipynb", RIGHT["1.1"])
    notebook(folder / "bob.ipynb", "answer_1_1 = 'trap'")
    table = rows(folder)
    assert table["ada", "1.1"]["result"] == "right"
    assert table["bob", ""]["message"] == "Grading failed: RuntimeError: trapped"


def test_students_are_folders_or_what_a_name_adds(tmp_path) -> None:
    names = {
        "ada/sub/x.ipynb": "ada",
        "01-dot-products-grow_bob.ipynb": "bob",
        "Carl - 01-dot-products-grow.ipynb": "Carl",
        "01-dot-products-grow (2).ipynb": "2",
        "01-dot-products-grow.ipynb": "01-dot-products-grow",
    }
    assert {n: collect.student_of(tmp_path / n, tmp_path) for n in names} == names


def test_the_better_of_two_answers_counts(folder) -> None:
    notebook(folder / "ada" / "a.ipynb", RIGHT["1.1"])
    notebook(folder / "ada" / "b.ipynb", "answer_1_1 = 'a'", RIGHT["1.2"])
    table = rows(folder)
    assert table["ada", "1.1"]["file"] == "ada/a.ipynb"
    assert table["ada", "1.2"]["file"] == "ada/b.ipynb"


def test_nothing_is_graded_twice_unless_asked(folder, monkeypatch) -> None:
    notebook(folder / "ada.ipynb", RIGHT["1.1"])
    before = rows(folder)
    counted = []
    real = grading._graded
    monkeypatch.setattr(grading, "_graded", lambda *a: counted.append(a) or real(*a))
    assert rows(folder) == before
    assert not counted
    rows(folder, "--fresh")
    assert len(counted) == 1
    notebook(folder / "ada.ipynb", "answer_1_1 = 'a'")
    assert rows(folder)["ada", "1.1"]["result"] == "wrong"
    rows(folder, "--run")  # what was not run is not remembered as graded
    assert len(counted) == 3


def test_no_cell_is_a_formula_and_a_failed_write_leaves_the_old_table(folder, monkeypatch) -> None:
    notebook(folder / "=cmd()" / "x.ipynb", "answer_1_2 = -1")
    rows(folder)
    text = (folder / "grades.csv").read_text(encoding="utf-8-sig")
    assert "\n'=cmd()," in text
    assert ",'-1," in text
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        collect.write_csv([], folder / "grades.csv")
    assert (folder / "grades.csv").read_text(encoding="utf-8-sig") == text
    assert not list(folder.glob(".grades-*"))


def test_the_overview_names_the_commonest_mistake(folder, capsys) -> None:
    for name in "abc":
        notebook(folder / f"{name}.ipynb", "answer_1_1 = 'a'")
    rows(folder)
    said = capsys.readouterr().out
    sentence = next(w.say for w in FIRST[0].wrong if w.answer == "a")
    assert f"3 × {sentence}" in said
    assert "3 notebooks of 3 students" in said


def test_a_folder_that_is_not_there(tmp_path, capsys) -> None:
    assert collect.main([str(tmp_path / "none")]) == 1
    assert "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("22.5", 22.5),
        ("-3", -3),
        ("7 / 144", 7 / 144),
        ("2**9", 512),
        ("np.log(2)", 0.6931471805599453),
        ("math.sqrt(2) * 4", 32**0.5),
        ("np.array([1, np.sqrt(4)])", [1, 2]),
        ("[[1, 2], (3, 4)]", [[1, 2], [3, 4]]),
        ("'b'", "b"),
        ("str('b')", "b"),
        ("...", ...),
    ],
)
def test_values_that_can_be_read(text, value) -> None:
    node = assigned_value(Submission([f"x = {text}"]).statements[0])
    assert read_value(node) == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize("text", ["f(2)", "x * 2", "open('f').read()", "[i for i in y]", "{1}"])
def test_values_that_need_running(text) -> None:
    with pytest.raises(NeedsRunning):
        read_value(assigned_value(Submission([f"x = {text}"]).statements[0]))


def test_a_slice_has_what_the_answer_rests_on_and_no_more() -> None:
    made = Submission(
        [
            "import numpy as np\nimport matplotlib.pyplot as plt",
            "def helper(x):\n    return x * factor",
            "factor = 2\nplt.plot([1])\nvalues = [1]",
            "values.append(3)\nvalues[0] = 5\nother = 7",
            "answer_1_2 = helper(np.sum(values))",
            "factor = 100",
        ]
    )
    source = made.slice("answer_1_2")
    for part in ("import numpy", "def helper", "factor = 2", "values.append", "values[0] = 5"):
        assert part in source
    for part in ("pyplot", "plt", "other", "factor = 100"):
        assert part not in source
    names: dict = {}
    exec(source, names)
    assert names["answer_1_2"] == 16


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_the_table_can_be_read_by_others(folder) -> None:
    notebook(folder / "ada.ipynb")
    rows(folder)
    assert (folder / "grades.csv").stat().st_mode & 0o777 == 0o644
