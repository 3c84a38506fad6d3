"""From what Canvas and Moodle give a teacher to points, lateness and feedback, with nbgrader."""

import csv
import io
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

from tools import student
from tools.answers import answer_name, reference_source
from tools.paths import BOOK, ROOT
from why_sqrt_d.exercises import Choice, Function, Number, all_exercises, check, get
from why_sqrt_d.exercises.handout import ask, own_numbers
from why_sqrt_d.exercises.plain_text import plain_text
from why_sqrt_d.exercises.progress import forget
from why_sqrt_d.grading import graded

sys.path.insert(0, str(ROOT / "tools" / "course"))
KINDS = (Choice, Number, Function)
ASKED = [next(e for e in all_exercises() if type(e.kind) is kind) for kind in KINDS]
NAME = "01-three-exercises.ipynb"
OWN = "02-own-numbers.ipynb"
DRAWN = next(e.id for e in all_exercises() if e.again and e not in ASKED)
ROSTER = """\
id,last_name,first_name,email,lms_user_id
ada,Lovelace,Ada,ada@example.edu,4101
alan,Turing,Alan,alan@example.edu,4102
emmy,Noether,Emmy,emmy@example.edu,4103
other-ada,Lovelace,Ada,lovelace@example.edu,4109
zoe,Doe,Zoë,zoe@example.edu,
grace,Hopper,Grace,grace@example.edu,
kurt,Gödel,Kurt,kurt@example.edu,
emil,Post,Emil,emil@example.edu,
sofia,Kowalewskaja,Sofia,sofia@example.edu,
connor,O'Connor,Zoë,connor@example.edu,
"""
COMMANDS = [
    f"{command} {name}" for command in ("zip_collect", "autograde") for name in ("ch1", "ch2")
]
COMMANDS += ["generate_feedback ch1 --student=ada", "export"]


@pytest.fixture(scope="module")
def hand_ins():
    """Return the teacher's plugins; importing nbgrader takes seconds, so not at collection."""
    return import_module("hand_ins")


@pytest.fixture(scope="module")
def results():
    return import_module("results")


def wrong_source(found) -> str:
    return f"{answer_name(found)} = {found.wrong[0].answer!r}"


def answered(release: Path, *right: bool, stripped: bool = False) -> bytes:
    """Return a released notebook as a student hands it in; no answers leave the stubs."""
    notebook = nbformat.read(release, as_version=4)
    cells = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", [])]
    for cell, found, is_right in zip(cells, ASKED, right, strict=False):
        if is_right:
            cell.source = reference_source(found)
        elif not isinstance(found.kind, Function):
            cell.source = wrong_source(found)
        else:
            cell.source = f"def {found.kind.name}(*given):\n    return 0.0"
    if stripped:  # some editors keep no cell's metadata
        for cell in notebook.cells:
            cell.metadata = {}
    return nbformat.writes(notebook).encode()


def packed(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a course folder with two assignments, let students hand in, and grade.

    The first asks everyone the same, the second each student with numbers of their own.
    """
    folder = tmp_path_factory.mktemp("teach")
    for name, exercises in ((NAME, [found.id for found in ASKED]), (OWN, [DRAWN])):
        cells = ["import numpy as np\nimport attn_helpers as ah"]
        cells += ["from why_sqrt_d.exercises import check, exercise"]
        cells += [f'exercise("{found}")' for found in exercises]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        nbformat.write(notebook, folder / name)
    course = folder / "course"
    made = student.student_notebook
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(student, "student_notebook", lambda path, _: made(path, path.name == OWN))
        release, own = student.write_course(course, [folder / NAME, folder / OWN])
    (course / "roster.csv").write_text(ROSTER, encoding="utf-8")
    hand_in_own_numbers(own, course / "downloaded" / "ch2" / "archive")
    archive = course / "downloaded" / "ch1" / "archive"
    all_right, all_wrong = (answered(release, *[ok] * 3) for ok in (True, False))
    canvas = {
        "lovelaceada_4101_90001_01-three-exercises.ipynb": all_wrong,
        "turingalan_LATE_4102_90002_01-three-exercises.ipynb": all_right,
        "noetheremmy_4103_90003_01-three-exercises.ipynb": all_right[:500],
    }
    again = {
        "lovelaceada_4101_90007_01-three-exercises-1.ipynb": answered(release, True, True, False),
        "lovelaceada_4109_90008_01-three-exercises.ipynb": answered(release),
    }
    file = "assignsubmission_file"
    moodle = {
        f"Zoë Doe_1001_{file}/my work.zip": packed(
            **{"work/final (2).ipynb": answered(release, True, True, True, stripped=True)}
        ),
        f"Grace Hopper_1002_{file}/answers.docx": b"PK\3\4 a letter",
        f"Kurt Gödel_1003_{file}/{NAME}": answered(release, True, False, False),
        f"Emil Post_1004_{file}/work.zip": b"PK\3\4 torn",
        f"Unlisted Guest_1005_{file}/work.py": b"print(1)",
    }
    late = {f"Kurt Gödel_1003_{file}/{NAME}": answered(release, False, True, False)}
    (archive / "submissions.zip").write_bytes(packed(**canvas))
    (archive / "submissions (1).zip").write_bytes(packed(**again))
    (archive / "M101-Chapter 1-777.zip").write_bytes(packed(**moodle))
    (archive / "late").mkdir()
    (archive / "late" / "M101-Chapter 1-777.zip").write_bytes(packed(**late))
    nbgrader(course, *COMMANDS)
    return course


def hand_in_own_numbers(release: Path, archive: Path) -> None:
    """Let three students answer with ADA's numbers; Emmy names her as who she is, too."""
    for name, typed in {"ada": " Ada", "alan": "alan", "emmy": "ada", "zoe": ""}.items():
        handed_in = nbformat.read(release, as_version=4)
        if not typed:  # of a class that was asked with the plain numbers
            handed_in.cells = [c for c in handed_in.cells if "ask" not in c.source]
        for cell in handed_in.cells:
            if cell.source.startswith("from why_sqrt_d.exercises.handout import ask"):
                cell.source = f"from why_sqrt_d.exercises.handout import ask\nstudent = '{typed}'"
            if "answer" in cell.metadata.get("tags", []):
                asked = get(DRAWN).with_numbers(own_numbers("ada", DRAWN))
                cell.source = f"{answer_name(asked)} = {asked.kind.value}"
        (archive / name).mkdir()
        nbformat.write(handed_in, archive / name / OWN)


def test_an_answer_is_graded_by_the_students_own_numbers(course: Path) -> None:
    ada, alan, emmy = (own_numbers(name, DRAWN) for name in ("ada", "alan", "emmy"))
    assert ada not in (alan, emmy)
    grades = {row["student_id"]: row["ch2"] for row in rows(course / "grades.csv")}
    worth = get(DRAWN).difficulty
    assert [float(grades[name]) for name in ("ada", "alan", "emmy")] == [worth, 0, 0]
    said = {
        name: str([c.outputs for c in nbformat.read(path, 4).cells if "outputs" in c])
        for name in ("ada", "alan", "emmy")
        for path in (course / "autograded" / name / "ch2").glob("*.ipynb")
    }
    assert "yours is emmy" in said["emmy"]
    assert "yours is" not in said["ada"] + said["alan"]
    (mistakes,) = [row for row in rows(course / "mistakes.csv") if row["assignment"] == "ch2"]
    assert [mistakes[name] for name in ("right", "wrong", "other id", "error")] == list("1110")


def test_another_id_and_other_numbers_are_named(course: Path, hand_ins) -> None:
    lines = rows(course / "downloaded" / "ch2" / "hand-ins.csv")
    notes = {line["student_id"]: line["note"] for line in lines if line["file"]}
    assert notes == {
        "ada": "",
        "alan": "",
        "emmy": "other id: “ada”",
        "zoe": hand_ins.PLAIN_NOT_OWN,
    }
    states = {row["student_id"]: row["ch2 state"] for row in rows(course / "grades.csv")}
    assert [states[name] for name in ("ada", "emmy", "zoe")] == [
        "on time",
        "on time, other id",
        hand_ins.PLAIN_NOT_OWN,
    ]


def test_whoever_asks_is_asked_with_numbers_of_their_own(capsys) -> None:
    ask(DRAWN, ...)
    assert capsys.readouterr().out.startswith("Write your id")
    for name in ("ada", "alan"):
        ask(DRAWN, name)
        own = get(DRAWN).with_numbers(own_numbers(name, DRAWN))
        assert check(DRAWN, own.kind.value)
        assert not check(DRAWN, get(DRAWN).kind.value)
        assert plain_text(own.statement)[:60] in capsys.readouterr().out
    forget()
    counts = Counter(own_numbers(f"student{n}", DRAWN) for n in range(1000))
    assert set(counts) == set(range(1, 11))  # and evenly: 100 each, with deviation 9.5
    assert max(abs(count - 100) for count in counts.values()) < 5 * 9.5


def nbgrader(course: Path, *commands: str) -> None:
    """Type commands; one process for all of them."""
    code = (
        "import sys\nfrom nbgrader.apps.nbgraderapp import NbGraderApp as App\n"
        "for line in sys.argv[1:]:\n"
        "    App.launch_instance(line.split())\n    App.clear_instance()"
    )
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [sys.executable, "-c", code, *commands]
    done = subprocess.run(
        command, cwd=course, env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    (course / "log.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stderr[-3000:]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_points_and_lateness_are_right_and_nobody_is_lost(course: Path) -> None:
    one, two, three = (found.difficulty for found in ASKED)
    expected = {
        "ada": (one + two, "on time"),
        "alan": (one + two + three, "late"),
        "emmy": (0, "broken: it is no notebook any more"),
        "other-ada": (0, "on time"),
        "zoe": (one + two + three, "on time"),
        "grace": (0, "no notebook: open it yourself"),
        "kurt": (two, "late"),
        "emil": (0, "it cannot be opened"),
        "sofia": (0, "missing"),
        "connor": (0, "missing"),
        "Unlisted-Guest-1005": (0, "no notebook: open it yourself"),
    }
    grades = {row["student_id"]: row for row in rows(course / "grades.csv")}
    assert set(grades) == set(expected)
    for name, (points, state) in expected.items():
        row = grades[name]
        assert (float(row["ch1"]), row["ch1 state"]) == (points, state), name
        assert float(row["ch1 of"]) == one + two + three
        for what in ("", " of"):
            each = [float(row[f"{part}{what}"]) for part in ("ch1", "ch2", "total")]
            assert each[0] + each[1] == each[2]
    assert grades["zoe"]["first_name"] == "Zoë"


def test_the_guide_names_the_commands_that_are_tested_here() -> None:
    page = (BOOK / "teaching.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^nbgrader (\w+)", page, re.M))
    assert named == {line.split()[0] for line in COMMANDS} | {"generate_assignment"}


def test_every_file_has_a_line_that_says_what_became_of_it(course: Path) -> None:
    lines = rows(course / "downloaded" / "ch1" / "hand-ins.csv")
    assert len([line for line in lines if line["file"]]) == 12 - 1  # two handed in nothing
    assert {line["student_id"] for line in lines if not line["file"]} == {"sofia", "connor"}
    said = {(line["student_id"], line["state"], line["note"]) for line in lines}
    assert ("ada", "not counted", "another copy counts") in said
    assert ("kurt", "not counted", "another copy counts") in said
    assert ("zoe", "on time", "3 graded cells put back") in said
    assert ("Unlisted-Guest-1005", "not counted", "no notebook: open it yourself") in said


def test_feedback_names_the_mistake_and_the_class_has_its_list(course: Path) -> None:
    html = (course / "feedback" / "ada" / "ch1" / NAME).with_suffix(".html").read_text("utf-8")
    assert "✓ " in html
    assert f"✗ {ASKED[2].id}" in html
    assert html.count(f">Exercise {ASKED[2].id}</a>") == 1
    assert not re.search("Test cell|Grade cell|HIDDEN", html)
    mistakes = {row["exercise"]: row for row in rows(course / "mistakes.csv")}
    assert set(mistakes) == {DRAWN, *(found.id for found in ASKED)}
    first = mistakes[ASKED[0].id]
    assert [first[name] for name in ("right", "wrong", "empty", "error")] == ["3", "1", "1", "0"]
    assert first["commonest"] == ASKED[0].wrong[0].say


def test_what_goes_back_is_called_as_the_platform_called_it(course: Path, results) -> None:
    with zipfile.ZipFile(course / "feedback-ch1.zip") as archive:
        assert archive.namelist() == ["lovelaceada_4101_90007_01-three-exercises-1.html"]
    canvas = {row["ID"]: row for row in rows(course / "canvas.csv")}
    assert set(canvas) == {"4101", "4102", "4103", "4109"}
    assert canvas["4102"]["Student"] == "Turing, Alan"
    assert float(canvas["4102"]["ch1"]) == sum(found.difficulty for found in ASKED)
    assert canvas["4103"]["ch1"] == ""  # broken: no points yet
    folder = "Zoë Doe_1001_assignsubmission_file"
    assert results.returned(f"late/M101.zip/{folder}/my_1_2_x.zip/x.ipynb") == folder
    assert results.returned(f"M101.zip/{folder}_x.ipynb") == folder
    assert results.returned("CS_2026_1_all.zip/turing_LATE_41_9_x.zip/y.ipynb") == (
        "turing_LATE_41_9_x.html"
    )
    assert results.returned("emmy/x.ipynb") == ""


def test_a_newer_notebook_is_graded_again_and_no_other(course: Path) -> None:
    release = course / "release" / "ch1" / NAME
    target = course / "downloaded" / "ch1" / "archive" / f"turingalan_LATE_4102_90099_{NAME}"
    target.write_bytes(answered(release, False, False, False))
    nbgrader(course, "zip_collect ch1", "export --to again.csv")
    graded_now = sorted(
        path.parent.name for path in (course / "autograded").glob("*/ch1") if any(path.iterdir())
    )
    assert graded_now == ["ada", "kurt", "other-ada", "zoe"]
    states = {row["student_id"]: row["ch1 state"] for row in rows(course / "again.csv")}
    assert states["alan"] == "late, not graded"


@pytest.fixture
def roster(tmp_path: Path, hand_ins):
    text = ROSTER + "jane1,Doe,Jane,jane1@example.edu,\njane2,Doe,Jane,jane2@example.edu,\n"
    (tmp_path / "roster.csv").write_text("\ufeff" + text, encoding="utf-8")
    (tmp_path / "archive").mkdir()
    sheet = "Identifier,Full name,Email address\nParticipant 77,Jane Doe,JANE2@example.edu\n"
    (tmp_path / "archive" / "Grades.csv").write_text(sheet)
    return hand_ins.Roster(tmp_path, tmp_path / "archive")


@pytest.mark.parametrize(
    ("file", "student", "note"),
    [
        ("lovelaceada_4101_9_x.ipynb", "ada", ""),
        ("lovelaceada_LATE_4109_9_x.ipynb", "other-ada", ""),
        ("CS_2026_1_all.zip/turingalan_4102_9_x.zip/deep/y.ipynb", "alan", ""),
        ("gödelkurt_5555_9_x.ipynb", "kurt", ""),
        ("studenttest_5556_9_x.ipynb", "studenttest-5556", "not on the roster"),
        ("a.zip/Zoë OConnor_13_assignsubmission_file_/x.ipynb", "connor", ""),
        ("a.zip/Zoe Doe_12_assignsubmission_file_/x.ipynb", "zoe", ""),
        ("a.zip/Doe Zoë_12_assignsubmission_file_x.ipynb", "zoe", ""),
        ("a.zip/Jane Doe_77_assignsubmission_file/x.ipynb", "jane2", ""),
        (
            "a.zip/Jane Doe_78_assignsubmission_file/x.ipynb",
            "",
            "2 on the roster are called Jane Doe",
        ),
        ("a.zip/New Guest_9_assignsubmission_file/x.ipynb", "New-Guest-9", "not on the roster"),
        ("emmy/x.ipynb", "emmy", ""),
        ("emmy_01-dot.ipynb", "emmy", ""),
        ("Emil Post/x.ipynb", "emil", ""),
        ("x.ipynb", "", "whose it is"),
    ],
)
def test_whose_a_file_is(roster, file: str, student: str, note: str) -> None:
    found, said = roster.find(file)
    assert found == student
    assert said.startswith(note)
    assert bool(said) == bool(note)


def test_the_newest_copy_counts_and_a_late_one_only_if_it_differs(hand_ins) -> None:
    choose = hand_ins.choose

    def made(file: str, content: int, **more):
        return hand_ins.HandIn(
            file, b"", (2026,), "ada", notebook="x", content={"cells": content}, **more
        )

    old, new = made("a", 1, copy=1), made("b", 2, copy=2)
    assert choose([new, old]) == [new]
    assert (old.state, old.note) == ("not counted", "another copy counts")
    first, same, late = made("c", 1), made("late/c", 1, late=True), made("late/d", 3, late=True)
    assert choose([same, first]) == [first]
    assert (first.state, first.note) == ("on time", "")
    assert choose([first, same, late]) == [late]
    assert late.state == "late"
    assert first.note == "another copy counts"
    again = made("late/e", 3, late=True)
    assert choose([late, again]) == [late]
    assert again.note == hand_ins.SAME
    mended = made("mended/a", 4, mended=True)
    assert choose([mended, first, late]) == [mended]
    assert mended.state == "late"  # as what it mends was


@pytest.mark.parametrize("text", [ROSTER.replace(",", ";"), ROSTER.replace(",", "\t")])
def test_a_roster_may_have_semicolons_or_tabs(hand_ins, tmp_path: Path, text: str) -> None:
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    assert hand_ins.Roster(tmp_path).name("kurt") == ("Gödel", "Kurt")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "There is no roster.csv"),
        ("Nr;Nachname\n1;Gödel\n".encode(), "no column id or last_name .* is “Nr;Nachname”"),
        (ROSTER.encode("cp1252"), "not in UTF-8"),
        (ROSTER.encode("utf-16"), "not in UTF-8"),
        (ROSTER.encode() + b"x,Doe, Jr.,Jane,,\n", "line 12 has more columns"),
        (ROSTER.encode() + b"ada,Doe,Jane,,\n", "two students with the id “ada”"),
    ],
)
def test_what_is_no_roster_is_said(hand_ins, tmp_path: Path, data: bytes | None, said) -> None:
    if data is not None:
        (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(ValueError, match=said):
        hand_ins.Roster(tmp_path)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"cells": 3}', b'{"cells": [{}]}', b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_notebook_is_none(hand_ins, data: bytes) -> None:
    assert hand_ins.read(data) is None


def test_zip_files_are_opened_and_what_systems_add_is_left_out(hand_ins, tmp_path: Path) -> None:
    inner = packed(**{"__MACOSX/._x": b"", ".ipynb_checkpoints/x.ipynb": b"", "x.ipynb": b"1"})
    torn = packed(**{"y.ipynb": b"2" * 50}).replace(b"2" * 50, b"3" * 50)
    (tmp_path / "all.zip").write_bytes(packed(**{"ada/work.zip": inner, "bob/work.zip": torn}))
    found = [(one.file, one.data) for one in hand_ins.handed_in(tmp_path)]
    assert found == [
        ("all.zip/ada/work.zip/x.ipynb", b"1"),
        ("all.zip/bob/work.zip/y.ipynb", b""),
    ]


def test_a_check_cell_says_the_verdict_and_its_value_is_for_nbgrader(capsys) -> None:
    found = ASKED[0]
    assert graded(found.id, found.wrong[0].answer) == 0
    assert graded(found.id) == 0
    assert graded(found.id, found.kind.right) is None  # nbgrader: all points
    out, err = capsys.readouterr()
    said = " ".join(out.split())
    assert re.findall("[✗·✓]", said) == ["✗", "·", "✓"]
    assert found.wrong[0].say in said
    assert max(map(len, out.splitlines())) <= 88
    assert err == ""
