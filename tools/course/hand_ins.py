"""Whose notebook is whose: `HandIns` works in `nbgrader zip_collect`.

A regular expression for each platform says who sent a file; zip files are opened. A student's
newest notebook that can be read is passed on, and every file, and every student without one, gets
a line in `downloaded/<assignment>/hand-ins.csv`: nothing is lost without a word.
"""

import csv
import io
import re
import shutil
import sys
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.plugins import ExtractorPlugin

# Who sent a file, as Moodle and as Canvas name it; `sent` names the feedback that goes back.
PLATFORMS = (
    re.compile(r"(?P<sent>(?P<who>.+)_\d+_assignsubmission_file)"),
    re.compile(r"(?P<sent>[^_]+(_LATE)?_(?P<who>\d+)_\d+_.+?)(\.\w+)?$"),
)
ADDED = re.compile(r"(^|/)(\.|__MACOSX/)|/$")  # what systems and editors leave in a zip; folders
FORMULA = tuple("=+-@\t")
COLUMNS = ("id", "last_name", "first_name", "email", "lms_user_id")
HEAD = ("student_id", "state", "file", "note", "sent")

Row = dict[str, str]


def write_table(path: Path, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file in which no text is taken for a formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows([f"'{c}" if str(c)[:1] in FORMULA else c for c in row] for row in rows)


def read_roster(root: Path) -> dict[str, Row]:
    """Return the students of `roster.csv` by id."""
    text = composed((root / "roster.csv").read_bytes().decode("utf-8-sig", "replace"))
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    rows = list(csv.DictReader(io.StringIO(text, ""), delimiter=delimiter))
    whole = all({*row} == {*COLUMNS} and None not in row.values() for row in rows)
    if "\ufffd" in text or not whole or len({row["id"] for row in rows}) < len(rows):
        sys.exit(f"roster.csv, in “CSV UTF-8”, has {', '.join(COLUMNS)}, and an id only once")
    return {row["id"]: row for row in rows}


def composed(text: str) -> str:
    """Return a text with é as one letter; in a zip made on a Mac it is two."""
    return unicodedata.normalize("NFC", text)


def plain(*name: str) -> list[str]:
    """Return the words of a name, without signs and order, which platforms change."""
    return sorted(re.sub(r"[^\w\s]", "", " ".join(name)).casefold().split())


def sender(file: str, roster: dict[str, Row]) -> tuple[str, str]:
    """Return whose a file is, by the teacher's folder or else its name, and what the name says."""
    top, *_ = parts = composed(file).removeprefix("late/").split("/")
    own = top if top in roster else ""
    for match in filter(None, (kind.match(part) for part in parts for kind in PLATFORMS)):
        who = plain(match["who"])
        called = [
            (row["id"], plain(row["first_name"], row["last_name"])) for row in roster.values()
        ]
        called += [(row["id"], [row["lms_user_id"]]) for row in roster.values()]
        named = [student for student, name in called if name == who]
        if len(named) == 1:
            return own or named[0], match["sent"]
    return own, ""


def handed_in(file: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Give the file, or what is in it if it is a zip that can be opened."""
    inside: dict[str, bytes] = {}
    if file.lower().endswith(".zip"):
        with suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:  # torn, encrypted
            inside = {name: archive.read(name) for name in archive.namelist()}
    for name, content in inside.items():
        yield from handed_in(f"{file}/{name}", content)
    if not inside and not ADDED.search(file):
        yield file, data


def read_notebook(file: str, data: bytes, release: Path) -> tuple[NotebookNode | None, str]:
    """Return the notebook, whole for nbgrader, and what is to be said of it."""
    if not file.lower().endswith((".ipynb", ".ipynb.json")):
        return None, "no notebook: open it yourself"
    asked = {grade_id(cell): cell for cell in nbformat.read(release, as_version=4).cells}
    del asked[""]
    try:
        notebook = nbformat.reads(data.decode("utf-8-sig"), as_version=4)
        ids = {grade_id(cell) for cell in notebook.cells}
        written = unspaced("".join(cell.source for cell in notebook.cells))
    except Exception:  # torn, empty, something else: whatever it is, it is no notebook
        return None, "broken: it is no notebook any more"
    checks = [cell for name, cell in asked.items() if name.startswith("check_")]
    if not (ids & {*asked} or any(unspaced(cell.source) in written for cell in checks)):
        return None, "it has none of the exercises"
    return notebook, mend(notebook, asked)


def grade_id(cell: NotebookNode) -> str:
    """Return what nbgrader knows a cell by; "" of one that it does not know."""
    return str((cell.metadata.get("nbgrader") or {}).get("grade_id", ""))


def unspaced(text: str) -> str:
    """Return a text without blanks."""
    return "".join(text.split())


def mend(notebook: NotebookNode, asked: dict[str, NotebookNode]) -> str:
    """Give each grade id to one cell, as it was handed out; return what was done.

    nbgrader stops at anything else, and grades nobody who comes later. Of what stands twice the
    last counts: an answer's check is put behind it.
    """
    cells_of: dict[str, list[NotebookNode]] = {name: [] for name in asked}
    for cell in notebook.cells:
        if (name := grade_id(cell)) in asked and cell.cell_type == asked[name].cell_type:
            cells_of[name].append(cell)
        cell.metadata.pop("nbgrader", None)
    cells, twice, lost = notebook.cells, [name for name in asked if len(cells_of[name]) > 1], 0
    for name, cell in asked.items():
        answer = name.replace("check_", "answer_")
        if answer == name or (cells_of[name] and not {name, answer} & {*twice}):
            for kept in cells_of[name][-1:]:
                kept.metadata.nbgrader = cell.metadata.nbgrader
            continue
        lost += not cells_of[name]
        cells[:] = [other for other in cells if not any(other is old for old in cells_of[name])]
        places = [i for i, other in enumerate(cells, 1) if grade_id(other) == answer]
        cells.insert(places[0] if places else len(cells), cell)
    notebook.nbformat_minor = 5
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    done = [f"{', '.join(twice)} twice: the last counts"] if twice else []
    return "; ".join(done + [f"{lost} graded cells put back"] * bool(lost))


class HandIns(ExtractorPlugin):
    """Find each student's newest readable notebook, and report on every file."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write `<extracted>/<student>/<notebook>.ipynb` and the table of the hand-ins."""
        archive, place = Path(archive_path), self.parent.coursedir
        root, assignment = Path(place.root), place.assignment_id
        (release,) = (root / place.release_directory / assignment).glob("*.ipynb")
        roster = read_roster(root)
        files: list[tuple[bool, bool, str, bytes]] = []
        for path in sorted(archive.rglob("*"), key=lambda path: (path.stat().st_mtime, path)):
            if path.is_file():
                name = path.relative_to(archive).as_posix()
                for file, data in handed_in(name, path.read_bytes()):
                    late = file.startswith("late/") or "_LATE_" in file
                    own = composed(file).removeprefix("late/").partition("/")[0] in roster
                    files.append((own, late, file, data))
        rows: list[Row] = []
        counted: dict[str, tuple[Row, bytes, NotebookNode]] = {}
        for _, late, file, data in sorted(files, key=lambda entry: entry[:2]):
            student, sent = sender(file, roster)
            notebook, note = read_notebook(file, data, release)
            if not student:
                note = "it fits nobody, or two: put it into archive/ID/"
            row = dict(zip(HEAD, (student, "not counted", file, note, sent), strict=True))
            rows.append(row)
            if student and notebook:
                older, before, _ = counted.get(student, (row, b"", None))
                if before == data:  # nor is it late
                    row["note"] = "another copy counts"
                    continue
                older |= {"state": "not counted", "note": "another copy counts"}
                row |= {"state": "late" if late else "on time", "note": note}
                counted[student] = row, data, notebook
        for student, (_, _, notebook) in counted.items():
            target = Path(extracted_path) / student / release.name
            target.parent.mkdir(parents=True)
            nbformat.write(notebook, target)
            old = root / "submitted" / student / assignment / release.name
            if old.exists() and old.read_bytes() != target.read_bytes():
                for step in ("autograded", "feedback"):  # another one's grade is forgotten
                    shutil.rmtree(root / step / student / assignment, ignore_errors=True)
        silent = roster.keys() - {row["student_id"] for row in rows}
        lines = [[*row.values()] for row in rows] + [[s, "missing", "", "", ""] for s in silent]
        write_table(archive.parent / "hand-ins.csv", HEAD, sorted(lines))
        for student, state, file, note, _ in sorted(lines):
            if note or state == "missing":
                self.log.warning("%s: %s %s (%s)", student or "?", file, state, note)
