"""A class from what is handed out to points, lateness and feedback, with nbgrader.

Two notebooks are handed out: the first asks everyone the same, the second each student with
numbers of their own. They come back as Canvas and Moodle name them.
"""

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from answering import reference_source
from nbgrader.nbgraderformat import MetadataValidator

from tools import student
from tools.paths import ROOT
from tools.student import nbgrader
from why_sqrt_d.exercises import Choice, Function, Number, all_exercises
from why_sqrt_d.exercises.handout import own_numbers

FIRST = [e for e in all_exercises() if e.id.startswith("1.")]
ASKED = [next(e for e in FIRST if type(e.kind) is kind) for kind in (Choice, Number, Function)]
DRAWN = next(e for e in all_exercises() if e.others and e.id.startswith("2."))
NAME, OWN = "01-three-exercises.ipynb", "02-own-numbers.ipynb"
ROSTER = """\
id,last_name,first_name,email,lms_user_id
ada,Lovelace,Ada,ada@example.edu,4101
emmy,Noether,Emmy,emmy@example.edu,4103
zoe,O'Doe,Zoë,zoe@example.edu,
kurt,Gödel,Kurt,kurt@example.edu,
emil,Post,Emil,emil@example.edu,
post,Post,Emil,post@example.edu,
sofia,Kowalewskaja,Sofia,sofia@example.edu,
alan,Turing,Alan,alan@example.edu,
"""
COMMANDS = [f"{step} {name}" for step in ("zip_collect", "autograde") for name in ("ch1", "ch2")]
COMMANDS += ["generate_feedback ch1", "export"]


def answered(release: Path, *right: bool, loop: bool = False, bare: bool = False) -> bytes:
    """Return a released notebook as a student hands it in; no answers leave the stubs."""
    notebook = nbformat.read(release, as_version=4)
    cells = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", [])]
    for cell, found, is_right in zip(cells, ASKED, right, strict=False):
        if is_right:
            cell.source = reference_source(found)
        elif isinstance(found.kind, Function):
            cell.source = f"def {found.kind.name}(*given):\n    return 0.0"
        else:
            cell.source = f"{student.answer_name(found)} = {found.wrong[0].answer!r}"
    if loop:
        cells[-1].source = "import time\nwhile True:\n    time.sleep(1)"
    if bare:  # some editors keep no cell's metadata
        for cell in notebook.cells:
            cell.metadata = {}
    return nbformat.writes(notebook).encode()


def faulty(data: bytes, fault: str) -> bytes:
    """Return a notebook with what editors, and students who copy cells, do to it."""
    notebook = nbformat.reads(data.decode(), as_version=4)
    checks = [cell for cell in notebook.cells if "check" in cell.metadata.get("tags", [])]
    at = notebook.cells.index(checks[0])
    if fault == "an answer twice":
        notebook.cells.insert(at - 1, deepcopy(notebook.cells[at - 1]))
        notebook.cells[at - 1].update(id="copy", source="answer = 'z'")
    elif fault == "a check twice":
        notebook.cells.insert(at, deepcopy(checks[0]))
        notebook.cells[at].id = "copy"
    elif fault == "an old version":
        for cell in notebook.cells:
            cell.metadata.get("nbgrader", {}).pop("schema_version", None)
    elif fault == "no checks":
        notebook.cells = [cell for cell in notebook.cells if cell not in checks]
    elif fault == "a space, and no metadata":
        for cell in notebook.cells:
            cell.source, cell.metadata = cell.source.replace(", ", ",  "), {}
    return nbformat.writes(notebook).encode("utf-8-sig")


def packed(files: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Hand out two notebooks, let students hand in, and grade."""
    folder = tmp_path_factory.mktemp("teach")
    for name, exercises in ((NAME, ASKED), (OWN, [DRAWN])):
        cells = ["import numpy as np\nimport attn_helpers as ah"]
        cells += ["from why_sqrt_d.exercises import check, exercise"]
        cells += [f'exercise("{found.id}")' for found in exercises]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        nbformat.write(notebook, folder / name)
    made = student.student_notebook
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(student, "notebooks", lambda: [folder / NAME, folder / OWN])
        patch.setattr(student, "student_notebook", lambda path, _: made(path, path.name == OWN))
        patch.setattr(student, "build_package", no_package)
        patch.setenv("HOME", str(folder))
        assert student.main(["--out", str(folder / "out")]) == 0
        course = folder / "out" / student.COURSE
        hand_in(course)
        nbgrader(course, *COMMANDS)
        yield course


def no_package(folder: Path, kind: str) -> Path:
    """Take the place of what builds the wheel, which a test of the release does."""
    (wheel := folder / f"course.{kind}.whl").write_bytes(b"")
    return wheel


def hand_in(course: Path) -> None:
    (course / "roster.csv").write_text(ROSTER, encoding="utf-8")
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text().replace("timeout = 60", "timeout = 5"))
    for name in ("ada", "emmy"):  # both with Ada's numbers, and as Ada
        notebook = nbformat.read(course / "release" / "ch2" / OWN, as_version=4)
        for cell in notebook.cells:
            cell.source = cell.source.replace("student = ...", "student = 'Ada'")
            if "answer" in cell.metadata.get("tags", []):
                cell.source = reference_source(DRAWN.with_numbers(own_numbers("ada", DRAWN.id)))
        (folder := course / "downloaded" / "ch2" / "archive" / name).mkdir()
        nbformat.write(notebook, folder / OWN)
    release, archive = course / "release" / "ch1" / NAME, course / "downloaded" / "ch1" / "archive"
    torn = answered(release, True, True, True)[:500]
    canvas = {
        f"lovelaceada_4101_90001_{NAME}": answered(release, *[False] * 3),
        f"noetheremmy_4103_90003_{NAME}": torn,
        f"lovelaceada_LATE_4101_90007_{NAME.upper()}": faulty(
            answered(release, True, True, False), "an answer twice"
        ),
    }
    work = packed(
        {"__MACOSX/._x": b"", "a/b (2).ipynb": answered(release, *[True] * 3, bare=True)}
    )
    file = "assignsubmission_file"
    moodle = {
        unicodedata.normalize("NFD", f"Zoë ODoe_1001_{file}/my work.zip"): work,
        f"Kurt Gödel_1003_{file}/{NAME}": answered(release, True, False, False),
        f"Emil Post_1004_{file}/{NAME}": answered(release, True, True, True),
        f"Sofia Kowalewskaja_1006_{file}/{NAME}": torn,
        f"Alan Turing_1007_{file}/work.zip": b"PK\3\4 torn",
    }
    late = {f"Kurt Gödel_1003_{file}/{NAME}": answered(release, False, True, False, loop=True)}
    (archive / "CS_2026_1_all.zip").write_bytes(packed(canvas))
    (archive / "M101-Chapter 1-777.zip").write_bytes(packed(moodle))
    (archive / "late").mkdir()
    (archive / "late" / "M101-Chapter 1-777.zip").write_bytes(packed(moodle | late))


def test_what_is_handed_out_is_whole_and_says_no_answer(course: Path) -> None:
    folder = course.parent / student.NAME
    (wheel,) = folder.glob("*.whl")
    names = {f"{student.NAME}/{name}" for name in (wheel.name, NAME, OWN, "README.md")}
    assert names <= {*zipfile.ZipFile(folder.with_suffix(".zip")).namelist()}
    for name in (NAME, OWN):
        assert "why_sqrt_d.grading" not in (folder / name).read_text("utf-8")
    beside = {path.name for path in (ROOT / "tools" / "course").iterdir() if path.is_file()}
    assert beside | {wheel.name, "requirements.txt"} <= {p.name for p in course.iterdir()}


def test_points_and_states_are_right_by_ones_own_numbers_and_nobody_is_lost(course: Path) -> None:
    one, two, three = (float(found.difficulty) for found in ASKED)
    broken = "broken: it is no notebook any more"
    expected = {
        "ada": (one + two, "late"),
        "emmy": ("", broken),
        "zoe": (one + two + three, "on time"),
        "kurt": (two, "late, a cell was stopped"),
        "emil": ("", "missing"),
        "post": ("", "missing"),
        "sofia": ("", broken),
        "alan": ("", "no notebook: open it yourself"),
    }
    grades = {row["id"]: row for row in rows(course / "grades.csv")}
    assert set(grades) == {*expected}
    for name, (points, state) in expected.items():
        assert (grades[name]["ch1"], grades[name]["ch1 state"]) == (str(points), state), name
        assert float(grades[name]["ch1 of"]) == one + two + three
    got = [(float(grades[name]["ch2"]), grades[name]["ch2 state"]) for name in ("ada", "emmy")]
    assert got == [(DRAWN.difficulty, "on time"), (0, "on time, other id")]
    canvas = {row["ID"]: row for row in rows(course / "canvas.csv")}
    assert (canvas["4101"]["Student"], canvas["4103"]["ch1"]) == ("Lovelace, Ada", "")
    mistakes = {row["exercise"]: row for row in rows(course / "mistakes.csv")}
    assert set(mistakes) == {DRAWN.id, *(found.id for found in ASKED)}
    first = mistakes[ASKED[0].id]
    assert [first[kind] for kind in ("right", "wrong", "empty")] == ["2", "1", "0"]
    assert first["commonest"] == ASKED[0].wrong[0].say


def test_every_file_has_a_line_that_says_what_became_of_it(course: Path) -> None:
    lines = rows(course / "downloaded" / "ch1" / "hand-ins.csv")
    assert len([line for line in lines if line["file"]]) == 3 + 5 + 5
    said = {(line["student_id"], line["state"], line["note"]) for line in lines}
    assert said >= {
        (name, "not counted", "another copy counts") for name in ("ada", "kurt", "zoe")
    }
    assert said >= {
        ("", "not counted", "it fits nobody, or two: put it into archive/ID/"),
        ("emil", "missing", ""),
    }


def test_a_faulty_notebook_is_made_whole_so_that_nbgrader_takes_it(course: Path) -> None:
    (release,) = (course / "release" / "ch1").glob("*.ipynb")
    data, read = answered(release, True, True, True), import_module("hand_ins").read_notebook
    faults = {
        "none": "",
        "an answer twice": f"answer_{ASKED[0].id.replace('.', '_')} twice: the last counts",
        "a check twice": f"check_{ASKED[0].id.replace('.', '_')} twice: the last counts",
        "an old version": "",
        "no checks": "3 graded cells put back",
        "a space, and no metadata": "3 graded cells put back",
    }
    for fault, said in faults.items():
        notebook, note = read("my work.ipynb.json", faulty(data, fault), release)
        assert note == said, fault
        MetadataValidator().validate_nb(notebook)  # what ended grading for the class
        nbformat.validate(notebook)
        graded = [c.source for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]
        assert len(graded) == len({*graded}) == 3, fault
    other, said = read(OWN, answered(course / "release" / "ch2" / OWN, True), release)
    assert (other, said) == (None, "it has none of the exercises")


def test_feedback_names_the_mistake_and_needs_no_network(course: Path) -> None:
    html = (course / "feedback" / "ada" / "ch1" / NAME).with_suffix(".html").read_text("utf-8")
    assert html.count(f">Exercise {ASKED[2].id}</a>") == 1
    assert f"✗ {ASKED[2].id}" in html
    assert not re.search(r"Test cell|Grade cell|HIDDEN|src=.https?:", html)
    assert html.count("Out[") == 1  # what the last cell counts
    assert "<math" in html
    for name, solved in {"ada": 2, "kurt": 1, "zoe": 3}.items():  # not what another has solved
        path = (course / "feedback" / name / "ch1" / NAME).with_suffix(".html")
        assert f"You have solved {solved} of" in path.read_text("utf-8"), name
    assert not list(course.parents[1].rglob("progress.json"))  # nothing is kept at home
    assert {*zipfile.ZipFile(course / "feedback-ch1.zip").namelist()} == {
        "lovelaceada_LATE_4101_90007_01-THREE-EXERCISES.html",
        "Zoë ODoe_1001_assignsubmission_file/01-three-exercises.html",
        "Kurt Gödel_1003_assignsubmission_file/01-three-exercises.html",
    }


def test_a_newer_notebook_is_graded_again_and_no_other(course: Path) -> None:
    release = course / "release" / "ch1" / NAME
    target = course / "downloaded" / "ch1" / "archive" / f"lovelaceada_LATE_4101_90099_{NAME}"
    target.write_bytes(answered(release, False, False, False))
    nbgrader(course, "zip_collect ch1", "export --to again.csv")
    graded = (course / "autograded").glob("*/ch1/*.ipynb")
    assert {path.parts[-3] for path in graded} == {"kurt", "zoe"}
    states = {row["id"]: row["ch1 state"] for row in rows(course / "again.csv")}
    assert states["ada"] == "late, not graded"


def test_what_is_no_roster_is_said(tmp_path: Path) -> None:
    more = ROSTER.encode()
    for data in (ROSTER.encode("cp1252"), more + b"x,Doe, Jr.,Jane,a,b\n", more + b"ada,,,,\n"):
        (tmp_path / "roster.csv").write_bytes(data)
        with pytest.raises(SystemExit, match=r"roster\.csv"):
            import_module("hand_ins").read_roster(tmp_path)
