"""The students' notebooks: complete, without solutions, and kind to who has not answered."""

import re
import zipfile
from copy import deepcopy
from itertools import islice
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import attn_helpers as ah
from tools import student
from tools.answers import answer_name, reference_source, stub
from tools.paths import ROOT, chapters
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Function,
    Number,
    Order,
    PredictNumber,
    all_exercises,
    chapter_exercises,
    check,
    get,
    summary,
)
from why_sqrt_d.exercises.progress import forget

CHAPTERS = chapters()
TAGS = ("remove-cell", "answer", "check")
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
def test_each_exercise_has_statement_answer_and_check(handout: Path, chapter: Path) -> None:
    path = handout / chapter.name
    asked, answers, checks = (cells(path, tag) for tag in ("exercise", "answer", "check"))
    shown = [re.match(r'check\("([\d.]+)"', cell.source)[1] for cell in checks]
    declared = [get(name) for name in shown]
    assert sorted(shown) == sorted(found.id for found in chapter_exercises(int(chapter.name[:2])))
    assert len(asked) == len(answers) == len(checks)
    for found, question, answer, checked in zip(declared, asked, answers, checks, strict=True):
        assert question.source.startswith(f"**Exercise {found.id}: {found.title}**")
        assert answer.source == stub(found)
        assert checked.source == f'check("{found.id}", {answer_name(found)})'
        for hint in range(len(found.hints)):
            assert f"<summary>Hint {hint + 1} (" in question.source
        if isinstance(found.kind, Choice):
            assert question.source.count("- **") >= len(found.kind.options)
        if isinstance(found.kind, Order):
            assert [x for x, _, _ in found.kind.shown] == re.findall(
                r"^- \*\*([A-Z])\*\*", question.source, re.M
            )


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_no_solution_and_no_output_stands_in_it(handout: Path, chapter: Path) -> None:
    path = handout / chapter.name
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    everything = "\n".join(cell.source for cell in notebook.cells)
    assert "olution</summary>" not in text
    assert "exercise(" not in everything
    assert "import check, exercise" not in everything
    assert all(
        not c.outputs and c.execution_count is None for c in notebook.cells if "outputs" in c
    )
    for found in chapter_exercises(int(chapter.name[:2])):
        solution = student.handed_out(found.solution)
        assert solution not in everything
        for part in re.split(r"\n\n+|(?<=\.) ", solution):
            assert len(part) < 30 or part not in everything, part
        for wrong in found.wrong:
            assert wrong.say not in everything
        if isinstance(found.kind, Function):
            assert reference_source(found).strip() not in everything


@pytest.mark.parametrize("found", all_exercises(), ids=lambda found: found.id)
def test_the_stub_is_blank_and_the_reference_right(found) -> None:
    names: dict = {}
    exec(stub(found), names)
    blank = check(found.id, names[answer_name(found)])
    assert blank.blank
    assert str(blank).startswith("· ")
    names = {"np": np, "ah": ah}
    exec(reference_source(found), names)
    assert check(found.id, names[answer_name(found)])


@pytest.mark.parametrize("found", all_exercises(), ids=lambda found: found.id)
def test_the_stubs_comment_gives_nothing_away(found) -> None:
    if isinstance(found.kind, Number | Array) and not isinstance(found.kind, PredictNumber):
        comment = stub(found).partition("#")[2]
        for number in re.findall(r"\d+(?: / \d+)?", comment):
            assert not check(found.id, number)


def executed(notebook, folder: Path):
    where = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=120, resources=where).execute()


def answered(source: str) -> str:
    """Return the right answer in the place of a blank one."""
    return next(reference_source(found) for found in all_exercises() if stub(found) == source)


def test_answered_they_pass_and_unanswered_they_are_kind(handout: Path) -> None:
    """Head, exercises and summary of every notebook, blank and then answered, in one kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IMPORTS)])
    for chapter in CHAPTERS:
        tagged = {tag: cells(handout / chapter.name, tag) for tag in TAGS}
        summary = nbformat.read(handout / chapter.name, as_version=4).cells[-1]
        notebook.cells += tagged["remove-cell"]
        for fill in (str, answered):
            for answer, asked in zip(tagged["answer"], tagged["check"], strict=True):
                filled = nbformat.v4.new_code_cell(fill(answer.source))
                notebook.cells += [filled, deepcopy(asked)]
            notebook.cells.append(deepcopy(summary))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    executed(notebook, handout)
    said = iter([o["data"]["text/plain"] for c in notebook.cells for o in c.get("outputs", [])])
    for chapter in CHAPTERS:
        count = len(chapter_exercises(int(chapter.name[:2])))
        for marks, solved in (("·", 0), ("✓→", count)):  # a guess is neither right nor wrong
            lines = list(islice(said, count))
            assert all(line[0] in marks and "\n" not in line for line in lines), lines
            assert next(said).startswith(f"You have solved {solved} of {count}")
    assert list(said) == []


def test_a_whole_notebook_runs_from_the_top(handout: Path) -> None:
    notebook = nbformat.read(handout / CHAPTERS[0].name, as_version=4)
    executed(notebook, handout)
    errors = [o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error"]
    assert errors == []


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_text_is_plain_markdown(handout: Path, chapter: Path) -> None:
    for cell in nbformat.read(handout / chapter.name, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert ":::" not in cell.source
            assert not re.search(r"\{[a-z:-]+\}`|^\([\w-]+\)=$|^\$\$ \(", cell.source, re.M)
            assert cell.source.count("$$") % 2 == 0
            for name in re.findall(r"\]\((?!https?:)([^()#]+)(?:#[^)]*)?\)", cell.source):
                assert (handout / name).exists()


def test_everything_a_student_needs_is_there(handout: Path) -> None:
    (wheel,) = handout.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    for package in ("attn_helpers", "why_sqrt_d"):
        code = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert code
        assert code <= packed
    text = (handout / "README.md").read_text(encoding="utf-8")
    assert wheel.name in text
    for chapter in CHAPTERS:
        assert chapter.name in text
    stored = {path.name for path in (CHAPTERS[0].parent / "data").glob("*.jsonl")}
    where = {name for name in packed if "/share/why-sqrt-d/data/" in name}  # `installed_folder`
    assert {name.rpartition("/")[2] for name in where} == stored


def test_the_same_course_gives_the_same_bytes(handout: Path, tmp_path: Path) -> None:
    grading = student.GRADING.format(graded="graded")
    for path in CHAPTERS:  # nbgrader adds nothing that could differ the next time
        source, given = (
            [(cell.id, cell.source.removeprefix(grading)) for cell in notebook.cells]
            for notebook in (student.student_notebook(path), nbformat.read(handout / path.name, 4))
        )
        assert source == given
    student.write_handout(tmp_path / student.NAME, [handout / path.name for path in CHAPTERS])
    student.zipped(tmp_path / student.NAME, tmp_path / "second.zip")
    first = handout.parent / f"{student.NAME}.zip"
    assert first.read_bytes() == (tmp_path / "second.zip").read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert all(name.startswith(f"{student.NAME}/") for name in archive.namelist())


def test_the_teachers_folder_has_what_grading_needs(handout: Path) -> None:
    course = handout.parent / student.COURSE
    assert len(list(course.glob("*.whl"))) == 1
    assert "nbgrader==" in (course / "requirements.txt").read_text()
    for name in ("Dockerfile", "nbgrader_config.py", "hand_ins.py", "results.py", "roster.csv"):
        assert (course / name).exists()
    for path in CHAPTERS:
        declared = chapter_exercises(int(path.name[:2]))
        source = course / "source" / student.assignment(path) / path.name
        graded = [cell.metadata.nbgrader for cell in cells(source, "check")]
        worth = {cell.grade_id: cell.points for cell in graded}
        assert len(worth) == len(graded)
        assert worth == {
            f"check_{found.id.replace('.', '_')}": found.difficulty for found in declared
        }
        assert "why_sqrt_d.grading" not in (handout / path.name).read_text(encoding="utf-8")


def test_what_students_handed_in_is_never_written_over(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(student, "OUT", tmp_path)
    kept = tmp_path / student.COURSE / "downloaded" / "ch1" / "archive" / "submissions.zip"
    kept.parent.mkdir(parents=True)
    kept.write_text("theirs")
    assert student.main([]) == 1
    assert "name a new folder" in capsys.readouterr().err
    assert kept.read_text() == "theirs"


def test_notebooks_with_own_numbers_come_in_a_zip_of_another_name(
    handout: Path, tmp_path: Path, monkeypatch
) -> None:
    def course(folder: Path, notebooks: list[Path], own: bool) -> list[Path]:
        assert own
        folder.mkdir(parents=True)
        return [handout / path.name for path in notebooks]

    monkeypatch.setattr(student, "write_course", course)
    assert student.main(["--own-numbers", "--out", str(tmp_path)]) == 0
    (archive,) = tmp_path.glob("*.zip")
    assert archive.stem != student.NAME
    assert "Write your id" in (tmp_path / archive.stem / "README.md").read_text(encoding="utf-8")
    assert "Write your id" not in (handout / "README.md").read_text(encoding="utf-8")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys) -> None:
    (tmp_path / "mine.ipynb").write_text("answered")
    assert student.main(["--out", str(tmp_path)]) == 1
    assert "name a new folder" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["mine.ipynb"]


def test_the_summary_counts_the_latest_check_of_each() -> None:
    forget()
    assert summary(1).solved == 0
    right = get("1.1").kind.right
    check("1.1", right)
    check("1.2", 3)
    lines = str(summary("1")).splitlines()
    assert lines[0] == f"You have solved 1 of {len(chapter_exercises(1))} exercises of chapter 1."
    assert [line[:5] for line in lines[1:4]] == ["· 1.0", "✓ 1.1", "✗ 1.2"]
    check("1.1", "no letter")
    assert summary(1).solved == 0
    forget()


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("see [the next chapter](02-b.ipynb#ch2-x)", "see [the next chapter](02-b.ipynb#ch2-x)"),
        ("[logits](glossary.md#term-logit) of *[keys](glossary.md#term-key)*", "logits of *keys*"),
        ("a page [of its own](2b-by-counting.ipynb#ch2-x)", "a page of its own"),
        ("so [[Xu *et al.*, 2021](bibliography.md#xu)].", "so [Xu *et al.*, 2021]."),
        ("Kale [[2020](bibliography.md#kale)] ([here](#ch1-x))", "Kale [2020] ([here](#ch1-x))"),
    ],
)
def test_links_to_pages_that_are_not_handed_out_are_text(text: str, given: str) -> None:
    assert student.handed_out(text) == given
