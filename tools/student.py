"""Write the students' notebooks and the teacher's course folder: `python -m tools.student`.

One source: the notebooks that ask exercises, which are the chapters and some of their deeper
pages, and the exercises' declarations. A student's notebook has the page's text, its code without
outputs, and for each exercise the statement, the hints (folded), a cell to answer in and a cell
that checks. Solutions stay out. Each notebook is an assignment of a course folder for nbgrader,
which makes the students' version of it; the notebooks are handed out with a README and the package
as a wheel, which has the stored results they read, as one zip.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.notebooks import METADATA, SETUP_TAG, text_of
from tools.packages import build_package
from tools.paths import BUILD, ROOT, notebooks
from why_sqrt_d.exercises import Array, Choice, Exercise, Function, Number, Order, get
from why_sqrt_d.exercises.handout import handed_out, statement
from why_sqrt_d.exercises.registry import ASKS, asked_in

OUT = BUILD / "student"
NAME, COURSE = "why-sqrt-d", "course"
README = Path(__file__).with_name("student-readme.md")
OWN = """\
You are asked with numbers of your own. Write your id, in quotes, into the cell at the top of each
notebook, exactly as your teacher has told you: it decides on the numbers.

"""
HOW = {
    Number: "a number, or an expression such as -3 / 1000",
    Array: "a list of numbers, one list for each row if there are several",
    Choice: "the letter, in quotes",
    Order: "the letters in your order, in one pair of quotes",
}
GRADING = """\
### BEGIN HIDDEN TESTS
from why_sqrt_d.grading import {graded} as check
### END HIDDEN TESTS
"""
WHO = """\
from why_sqrt_d.exercises.handout import ask

student = ...  # your id, in quotes, as your teacher has told you: it decides on your numbers"""
SOLVED = """\
## What you have solved

An exercise that was right once counts, here and in the chapter's other notebooks."""
SUMMARY = "from why_sqrt_d.exercises import summary\n\nsummary({})"
CHECKS = re.compile(r'check\("([\d.]+)", ')
MISSING = "The course is not installed: install the .whl file beside this notebook (see README.md)"


def answer_name(asked: Exercise) -> str:
    """Return the name an answer is bound to: the function's own, or `answer_1_2`."""
    if isinstance(asked.kind, Function):
        return asked.kind.name
    return "answer_" + asked.id.replace(".", "_")


def stub(asked: Exercise) -> str:
    """Return the source of the cell to answer in."""
    if isinstance(asked.kind, Function):
        return asked.kind.stub.strip()
    how = next(text for kind, text in HOW.items() if isinstance(asked.kind, kind))
    return f"{answer_name(asked)} = ...  # {how}"


def exercise_cells(exercise: Exercise, own: bool = False) -> list[NotebookNode]:
    """Return the three cells of an exercise: what is asked, the answer, the check.

    The check cell is worth the exercise's points. Its first lines, which nbgrader keeps from the
    students, make it say them. With `own`, an exercise that has other numbers asks each student
    with numbers of their own.
    """
    new, name = nbformat.v4, exercise.id.replace(".", "_")
    grading = GRADING.format(graded="graded_own" if own else "graded")
    asked = new.new_code_cell(f'ask("{exercise.id}", student)')
    cells = [
        asked if own and exercise.others else new.new_markdown_cell(statement(exercise)),
        new.new_code_cell(stub(exercise)),
        new.new_code_cell(f'{grading}check("{exercise.id}", {answer_name(exercise)})'),
    ]
    for cell, tag in zip(cells, ("exercise", "answer", "check"), strict=True):
        cell.metadata = nbformat.from_dict({"tags": [tag]})
        if tag != "exercise":
            graded = {"points": exercise.difficulty} if tag == "check" else {}
            cell.metadata.nbgrader = {
                "grade_id": f"{tag}_{name}",
                "grade": tag == "check",
                "locked": tag == "check",
                "solution": tag == "answer",
                "task": False,
                "schema_version": 3,
                **graded,
            }
    return cells


def _kept(cell: NotebookNode) -> NotebookNode:
    """Return a cell of the page as the student sees it."""
    if cell.cell_type == "markdown":
        return nbformat.v4.new_markdown_cell(handed_out(cell.source))
    tags = cell.metadata.get("tags", [])
    source = cell.source.replace("import check, exercise\n", "import check\n")
    if SETUP_TAG in tags:
        source = re.sub(r"'The course is not installed: .*'", f'"{MISSING}"', source)
    kept = nbformat.v4.new_code_cell(source)
    if "hide-cell" in tags or SETUP_TAG in tags:  # machinery: there, and folded in JupyterLab
        kept.metadata = nbformat.from_dict({"jupyter": {"source_hidden": True}, "tags": tags})
    return kept


def student_notebook(path: Path, own: bool = False) -> NotebookNode:
    """Return the source of a page's assignment: the student's notebook and how it is graded."""
    new, cells = nbformat.v4, list[NotebookNode]()
    for cell in nbformat.read(path, as_version=4).cells:
        shown = ASKS.findall(cell.source) if cell.cell_type == "code" else []
        if shown:
            cells += [part for name in shown for part in exercise_cells(get(name), own)]
        elif cell.cell_type == "markdown" or not CHECKS.search(cell.source):
            cells.append(_kept(cell))
    if own:
        cells.insert(1, new.new_code_cell(WHO))
    cells += [
        new.new_markdown_cell(SOLVED),
        new.new_code_cell(SUMMARY.format(assignment(path)[2])),
    ]
    notebook = new.new_notebook(cells=cells)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    return notebook


def assignment(path: Path) -> str:
    """Return the name nbgrader knows a notebook by: `ch1`, of a deeper page `ch1a`."""
    return "ch" + path.name.partition("-")[0].lstrip("0")


def nbgrader(folder: Path, *lines: str) -> None:
    """Give commands such as `autograde ch1`, in one process; its log is shown if one fails."""
    code = (
        "import sys\nfrom nbgrader.apps.nbgraderapp import NbGraderApp as App\n"
        "for line in sys.argv[1:]:\n"
        "    App.launch_instance(line.split())\n    App.clear_instance()"
    )
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    own = os.environ | {"PATH": beside}  # nbgrader calls a program that is installed with it
    command = [sys.executable, "-c", code, *lines]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"nbgrader failed:\n{done.stdout}{done.stderr}")


def write_course(folder: Path, notebooks: list[Path], own: bool = False) -> list[Path]:
    """Write nbgrader's course folder, an assignment a notebook; return the students' versions."""
    shutil.copytree(ROOT / "tools" / "course", folder)
    shutil.copyfile(ROOT / "requirements/teach.txt", folder / "requirements.txt")
    for path in notebooks:
        target = folder / "source" / assignment(path) / path.name
        target.parent.mkdir(parents=True)
        target.write_text(text_of(student_notebook(path, own)), encoding="utf-8")
        (folder / "downloaded" / assignment(path) / "archive").mkdir(parents=True)
    nbgrader(folder, *(f"generate_assignment {assignment(path)}" for path in notebooks))
    return [folder / "release" / assignment(path) / path.name for path in notebooks]


def write_handout(folder: Path, notebooks: list[Path], own: bool = False) -> Path:
    """Write notebooks, package and README into a new folder, and its zip; return the wheel."""
    folder.mkdir(parents=True)
    for path in notebooks:
        shutil.copyfile(path, folder / path.name)
    wheel = build_package(folder, "wheel")
    names = "\n".join(f"- `{path.name}`" for path in notebooks)
    slots = {"wheel": wheel.name, "notebooks": names, "own": OWN if own else ""}
    (folder / "README.md").write_text(README.read_text("utf-8").format(**slots), "utf-8")
    shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
    return wheel


def main(arguments: list[str] | None = None) -> int:
    """Write both folders and the zip; nothing that came from students is ever written over."""
    parser = argparse.ArgumentParser(description="Write the students' notebooks.")
    parser.add_argument("--out", type=Path, help="an empty or new folder (_build/student)")
    parser.add_argument("--own-numbers", action="store_true", help="other numbers for each")
    options = parser.parse_args(arguments)
    out = (options.out or OUT).expanduser()
    if out == OUT and not any((OUT / COURSE / "downloaded").glob("*/archive/*")):
        shutil.rmtree(OUT, ignore_errors=True)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        print(f"{out} is there and not empty: name a new folder with --out.", file=sys.stderr)
        return 1
    asking = [path for path in notebooks() if asked_in(path)]
    written = write_course(out / COURSE, asking, options.own_numbers)
    name = f"{NAME}-own-numbers" if options.own_numbers else NAME
    wheel = write_handout(out / name, written, options.own_numbers)
    shutil.copyfile(wheel, out / COURSE / wheel.name)
    print(f"{len(written)} notebooks, to hand out as {out / name}.zip")
    print(f"To collect and to grade them: {out / COURSE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
