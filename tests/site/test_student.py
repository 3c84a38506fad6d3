"""The students' notebooks: complete, without solutions, and kind to who has not answered."""

import re
from copy import deepcopy
from pathlib import Path

import pytest
from answering import reference_source
from nbclient import NotebookClient
from nbformat import NotebookNode

from tools import student
from tools.paths import notebooks
from why_sqrt_d.exercises import Choice, Function, all_exercises, chapter_exercises
from why_sqrt_d.exercises.registry import asked_in

ASKING = [path for path in notebooks() if asked_in(path)]
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n", re.S)


def handed_out(path: Path) -> NotebookNode:
    """Return a student's notebook as nbgrader makes it."""
    notebook = student.student_notebook(path)
    for cell in notebook.cells:
        cell.source = HIDDEN.sub("", cell.source)
    return notebook


def tagged(notebook: NotebookNode, tag: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


@pytest.mark.parametrize("page", ASKING, ids=lambda path: path.stem)
def test_every_exercise_is_asked_and_no_solution_given(page: Path) -> None:
    notebook = handed_out(page)
    declared = {found.id: found for found in all_exercises()}
    asked, answers, checks = (tagged(notebook, tag) for tag in ("exercise", "answer", "check"))
    shown = [re.match(r'check\("([\d.]+)"', cell.source)[1] for cell in checks]
    assert shown == asked_in(page)
    everything = "\n".join(cell.source for cell in notebook.cells)
    assert len(re.findall(r'check\("\d', everything)) == len(shown)  # none with our answer
    for name, question, answer, graded in zip(shown, asked, answers, checks, strict=True):
        found = declared[name]
        assert question.source.startswith(f"**Exercise {name}: {found.title}**")
        assert answer.source == student.stub(found)
        assert graded.metadata.nbgrader.points == found.difficulty
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
    assert set(links) <= {path.name for path in ASKING}


def test_unanswered_a_notebook_is_kind_and_answered_it_counts(tmp_path: Path) -> None:
    notebook, declared = handed_out(ASKING[0]), chapter_exercises(1)
    all_of_them = len(declared)  # on the deeper pages, too
    right = {student.stub(found): reference_source(found) for found in declared}
    answers, checks = (tagged(notebook, tag) for tag in ("answer", "check"))
    summary = notebook.cells[-1]
    for answer, asked in zip(deepcopy(answers), deepcopy(checks), strict=True):
        answer.source = right[answer.source]
        notebook.cells += [answer, asked]
    notebook.cells.append(deepcopy(summary))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    said = [
        cell.outputs[0]["data"]["text/plain"] for cell in (*tagged(notebook, "check"), summary)
    ]
    count = len(checks)
    for marks, lines in (("·", said[:count]), ("✓→", said[count:-1])):  # a guess is not right
        assert all(line[0] in marks and "\n" not in line for line in lines), lines
    assert said[-1].startswith(f"You have solved 0 of {all_of_them}")
    last = notebook.cells[-1].outputs[0]["data"]["text/plain"]
    assert last.startswith(f"You have solved {count} of {all_of_them}")


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
