"""Write the students' notebooks: `python -m tools.student [--out FOLDER]`.

One source: the chapters and the exercises' declarations. A student's notebook has the chapter's
text, its code without outputs, and for each exercise the statement, the hints
(folded), a cell to answer in and a cell that checks. Solutions stay out. Beside the notebooks lie
the stored results they read, the package as a wheel, and a README; the whole is zipped for handing
out. The same course gives the same files, byte for byte.
"""

import argparse
import re
import shutil
import sys
import zipfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.answers import answer_name, options, stub
from tools.notebooks import METADATA, SETUP_TAG, text_of
from tools.paths import BOOK, BUILD, chapters
from tools.student_package import build_wheel, readme
from why_sqrt_d.exercises import Exercise, chapter_exercises, get
from why_sqrt_d.exercises.show import strength

OUT = BUILD / "student"
NAME = "why-sqrt-d"
SHOWS = re.compile(r'exercise\("([\d.]+)"\)')
ELSEWHERE = re.compile(  # plain pages, the first page, deeper pages
    r"\[([^\[\]]*)\]"
    r"\((?:(?:api/)?[\w-]+\.(?:md|yml|bib)|(?:index|\d[a-z]-[\w-]+)\.ipynb)(?:#[^)]*)?\)"
)
CHECKS = re.compile(r'check\("([\d.]+)", ')
MISSING = "attn_helpers is missing: install the .whl file beside this notebook (see README.md)"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # no time of day in the zip


def handed_out(text: str) -> str:
    """Return Markdown without the links to pages that students are not given."""
    return ELSEWHERE.sub(lambda link: link[1], text)


def statement(found: Exercise) -> str:
    """Return the exercise as Markdown: statement, options, folded hints, no solution."""
    stars = "★" * found.difficulty + "☆" * (3 - found.difficulty)
    blocks = [f"**Exercise {found.id}: {found.title}** {stars}", found.statement.strip()]
    blocks += options(found.kind)
    for i, hint in enumerate(found.hints):
        name = f"Hint {i + 1} ({strength(i, len(found.hints))})"
        blocks.append(f"<details><summary>{name}</summary>\n\n{hint.strip()}\n\n</details>")
    return handed_out("\n\n".join(blocks))


def exercise_cells(found: Exercise) -> list[NotebookNode]:
    """Return the three cells of an exercise: what is asked, the answer, the check."""
    new = nbformat.v4
    cells = [
        new.new_markdown_cell(statement(found)),
        new.new_code_cell(stub(found)),
        new.new_code_cell(f'check("{found.id}", {answer_name(found)})'),
    ]
    for cell, tag in zip(cells, ("exercise", "answer", "check"), strict=True):
        cell.metadata = nbformat.from_dict({"tags": [tag]})
    return cells


def _kept(cell: NotebookNode) -> NotebookNode:
    """Return a cell of the chapter as the student sees it."""
    if cell.cell_type == "markdown":
        return nbformat.v4.new_markdown_cell(handed_out(cell.source))
    tags = cell.metadata.get("tags", [])
    source = cell.source.replace("import check, exercise\n", "import check\n")
    if SETUP_TAG in tags:
        source = re.sub(r'"attn_helpers is missing: .*"', f'"{MISSING}"', source)
    kept = nbformat.v4.new_code_cell(source)
    if "hide-cell" in tags or SETUP_TAG in tags:  # machinery: there, and folded in JupyterLab
        kept.metadata = nbformat.from_dict({"jupyter": {"source_hidden": True}, "tags": tags})
    return kept


def _ending(chapter: str) -> list[NotebookNode]:
    """Return the cells that count what is solved."""
    text = "## What you have solved\n\nThe latest check of each exercise counts."
    source = f"from why_sqrt_d.exercises import summary\n\nsummary({chapter})"
    return [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell(source)]


def student_notebook(path: Path) -> NotebookNode:
    """Return the student's version of one chapter.

    Raises
    ------
    ValueError
        If an exercise of the chapter does not appear in it exactly once.
    """
    cells: list[NotebookNode] = []
    asked: list[str] = []
    for cell in nbformat.read(path, as_version=4).cells:
        shown = SHOWS.findall(cell.source) if cell.cell_type == "code" else []
        if shown:
            asked += shown
            for name in shown:
                cells += exercise_cells(get(name))
        elif cell.cell_type == "markdown" or not CHECKS.search(cell.source):
            cells.append(_kept(cell))
    chapter = str(int(path.name[:2]))
    declared = [found.id for found in chapter_exercises(chapter)]
    if sorted(asked) != sorted(declared):
        raise ValueError(f"{path.name} shows the exercises {asked}, and {declared} are declared")
    notebook = nbformat.v4.new_notebook(cells=[*cells, *_ending(chapter)])
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03d}"
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    return notebook


def write_handout(folder: Path) -> list[Path]:
    """Write notebooks, data, package and README into an empty folder; return the notebooks."""
    (folder / "data").mkdir(parents=True)
    written = []
    for path in chapters():
        target = folder / path.name
        target.write_text(text_of(student_notebook(path)), encoding="utf-8")
        written.append(target)
    for rows in sorted((BOOK / "data").glob("*.jsonl")):
        shutil.copyfile(rows, folder / "data" / rows.name)
    wheel = build_wheel(folder)
    (folder / "README.md").write_text(readme(wheel.name, written), encoding="utf-8")
    return written


def zipped(folder: Path, target: Path) -> None:
    """Zip a folder; equal folders give equal files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())


def main(arguments: list[str] | None = None) -> int:
    """Write the folder and its zip; an answered notebook is never written over."""
    parser = argparse.ArgumentParser(description="Write the students' notebooks.")
    parser.add_argument("--out", type=Path, help="an empty or new folder (_build/student)")
    out = parser.parse_args(arguments).out
    if out is None:
        shutil.rmtree(OUT, ignore_errors=True)
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        print(f"{out} is there and not empty: name a new folder.", file=sys.stderr)
        return 1
    out = out or OUT
    written = write_handout(out / NAME)
    zipped(out / NAME, out / f"{NAME}.zip")
    print(f"{len(written)} notebooks in {out / NAME}, to hand out as {out / NAME}.zip")
    return 0


if __name__ == "__main__":
    sys.exit(main())
