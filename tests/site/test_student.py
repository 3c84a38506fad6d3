"""The students' notebooks: complete, without solutions, and kind to who has not answered."""

import re
import zipfile
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from right_answers import reference_source

from tools import student
from tools.paths import BOOK, ROOT, chapters
from why_sqrt_d.exercises import Choice, Function, all_exercises, chapter_exercises

CHAPTERS = chapters()
IMPORTS = """\
import numpy as np
import attn_helpers as ah
from why_sqrt_d.exercises import check"""


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("handout") / "first"
    assert student.main(["--out", str(out)]) == 0
    return out / student.NAME


def cells(path: Path, tag: str) -> list:
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_is_asked_and_no_solution_given(handout: Path, chapter: Path) -> None:
    path = handout / chapter.name
    declared = {found.id: found for found in chapter_exercises(int(chapter.name[:2]))}
    asked, answers, checks = (cells(path, tag) for tag in ("exercise", "answer", "check"))
    shown = [re.match(r'check\("([\d.]+)"', cell.source)[1] for cell in checks]
    assert sorted(shown) == sorted(declared)
    notebook = nbformat.read(path, as_version=4)
    everything = "\n".join(cell.source for cell in notebook.cells)
    for name, question, answer in zip(shown, asked, answers, strict=True):
        found = declared[name]
        assert question.source.startswith(f"**Exercise {name}: {found.title}**")
        assert answer.source == student.stub(found)
        assert question.source.count("<summary>Hint ") == len(found.hints)
        if isinstance(found.kind, Choice):
            assert question.source.count("<li><b>") >= len(found.kind.options)
        for part in re.split(r"\n\n+|(?<=\.) ", student.handed_out(found.solution)):
            assert len(part) < 30 or part not in everything, part
        assert not any(wrong.say in everything for wrong in found.wrong)
        if isinstance(found.kind, Function):
            assert reference_source(found).strip() not in everything
    assert not re.search(r"olution</summary>|\bexercise\(|why_sqrt_d.grading", everything)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    links = re.findall(r"\]\((?!https?:)([^()#\s]+)(?:#[^)]*)?\)", everything)
    assert all((handout / name).exists() for name in links)


def executed(notebook, folder: Path) -> list[str]:
    """Return what the cells gave as text."""
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, resources=where).execute()
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output["data"]["text/plain"] for output in outputs if "data" in output]


def answered(source: str) -> str:
    """Return the right answer in the place of a blank one."""
    return next(
        reference_source(found) for found in all_exercises() if student.stub(found) == source
    )


def test_answered_they_pass_and_unanswered_they_are_kind(handout: Path) -> None:
    """Exercises and summary of every notebook, blank and then answered, in one kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IMPORTS)])
    for chapter in CHAPTERS:
        path = handout / chapter.name
        notebook.cells += cells(path, "remove-cell")
        for fill in (str, answered):
            pairs = zip(cells(path, "answer"), cells(path, "check"), strict=True)
            for answer, asked in pairs:
                notebook.cells += [nbformat.v4.new_code_cell(fill(answer.source)), asked]
            notebook.cells.append(deepcopy(nbformat.read(path, as_version=4).cells[-1]))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    said = iter(executed(notebook, handout))
    for chapter in CHAPTERS:
        count = len(chapter_exercises(int(chapter.name[:2])))
        for marks, solved in (("·", 0), ("✓→", count)):  # a guess is neither right nor wrong
            lines = [next(said) for _ in range(count)]
            assert all(line[0] in marks and "\n" not in line for line in lines), lines
            assert next(said).startswith(f"You have solved {solved} of {count}")
    assert list(said) == []
    whole = nbformat.read(handout / CHAPTERS[0].name, as_version=4)
    assert executed(whole, handout)[-1].startswith("You have solved 0 of")


def test_everything_that_students_and_teacher_need_is_there(handout: Path) -> None:
    (wheel,) = handout.glob("*.whl")
    with zipfile.ZipFile(handout.with_suffix(".zip")) as archive:
        assert f"{student.NAME}/{wheel.name}" in archive.namelist()
    with zipfile.ZipFile(wheel) as archive:
        packed = " ".join(archive.namelist())
    for stored in (BOOK / "data").glob("*.jsonl"):  # where `installed_folder` looks
        assert f"/share/why-sqrt-d/data/{stored.name}" in packed
    text = (handout / "README.md").read_text(encoding="utf-8")
    assert all(name in text for name in (wheel.name, *(path.name for path in CHAPTERS)))
    course = handout.parent / student.COURSE
    names = {path.name for path in (ROOT / "tools" / "course").iterdir() if path.is_file()}
    assert names | {wheel.name, "requirements.txt"} <= {path.name for path in course.iterdir()}
    for path in CHAPTERS:
        source = course / "source" / student.assignment(path) / path.name
        graded = [cell.metadata.nbgrader for cell in cells(source, "check")]
        worth = {cell.grade_id: cell.points for cell in graded}
        declared = chapter_exercises(int(path.name[:2]))
        assert worth == {f"check_{e.id.replace('.', '_')}": e.difficulty for e in declared}


def test_what_students_handed_in_is_never_written_over(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(student, "OUT", tmp_path)
    kept = tmp_path / student.COURSE / "downloaded" / "ch1" / "archive" / "submissions.zip"
    kept.parent.mkdir(parents=True)
    kept.write_text("theirs")
    assert student.main([]) == 1
    assert student.main(["--out", str(tmp_path)]) == 1
    assert "name a new folder" in capsys.readouterr().err
    assert kept.read_text() == "theirs"


def test_with_own_numbers_a_notebook_asks_for_the_id() -> None:
    notebook = student.student_notebook(CHAPTERS[0], own=True)
    everything = "\n".join(cell.source for cell in notebook.cells)
    drawn = next(found for found in chapter_exercises(1) if found.others)
    assert "student = ...  # your id" in notebook.cells[1].source
    assert f'ask("{drawn.id}", student)' in everything
    assert "import graded_own as check" in everything
