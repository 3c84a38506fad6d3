"""Whose notebook is whose: `HandIns` works in `nbgrader zip_collect`.

A regular expression for each platform says whose a file is; zip files are opened. The newest
notebook of each student that can be read is passed on, and every file, and every student without
one, gets a line in `downloaded/<assignment>/hand-ins.csv`: nothing is lost without a word.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.plugins import ExtractorPlugin
from nbgrader.utils import rmtree

MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_")
CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<copy>\d+)_.")
ADDED = re.compile(r"(^|/)(\.|__MACOSX/)")  # what systems and editors leave in a zip
CHECK = re.compile(r'^check\("([\d.]+)"', re.M)
FORMULA = tuple("=+-@\t")
HANDED_IN = ("on time", "late")
STRANGER = "not on the roster"

Roster = dict[str, dict[str, str]]


def write_table(path: Path, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file in which no text is taken for a formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows([f"'{c}" if str(c)[:1] in FORMULA else c for c in row] for row in rows)


def read_roster(root: Path) -> Roster:
    """Return the students of `roster.csv` by id."""
    try:
        text = (root / "roster.csv").read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("roster.csv is not in UTF-8: save it as “CSV UTF-8”") from None
    head = text.partition("\n")[0]
    rows = list(csv.DictReader(io.StringIO(text, ""), delimiter=";" if ";" in head else ","))
    for column in ("id", "last_name", "first_name"):
        if any(row.get(column) is None or None in row for row in rows):
            raise ValueError(f"roster.csv: a line lacks a {column}, or has a comma too many")
    found = {row["id"].strip(): {k: (v or "").strip() for k, v in row.items()} for row in rows}
    if len(found) < len(rows):
        raise ValueError("roster.csv has two students with one id")
    return found


def letters(name: str) -> str:
    """Return what every platform's file names leave of a name: `doezoë`."""
    return "".join(filter(str.isalpha, name.casefold()))


@dataclass
class HandIn:
    """One file that came in, and what becomes of it."""

    file: str  # its path in the archive folder, zip files taken for folders
    data: bytes
    date: tuple[int, ...]
    student: str = ""
    state: str = "not counted"
    note: str = ""

    def __post_init__(self) -> None:
        self.parts = self.file.split("/")
        sent = (kind.match(part) for kind in (MOODLE, CANVAS) for part in self.parts)
        self.sent = [found.groupdict() for found in sent if found]
        self.late = self.parts[0] == "late" or any(found.get("late") for found in self.sent)

    @property
    def age(self) -> tuple[Any, ...]:
        """Sort older before newer; what the teacher has put into a student's folder is newest."""
        copy = max((int(found.get("copy", 0)) for found in self.sent), default=0)
        return not self.sent, copy, self.late, self.date, self.file

    def find_student(self, roster: Roster) -> None:
        """Say whose the file is, or what keeps one from saying so."""
        named: list[str] = []
        for found in self.sent:  # the outermost may be the download, called as the course is
            for student, row in roster.items():
                first, last = row["first_name"], row["last_name"]
                names = (letters(first + last), letters(last + first))
                if found["number"] == row.get("lms_user_id"):
                    self.student = student
                elif letters(found["name"]) in names:
                    named.append(student)
        self.student = self.student or (named[0] if len(named) == 1 else "")
        if not self.sent:
            self.student = next((part for part in self.parts[:-1] if part in roster), "")
        elif not self.student and not named:
            name = f"{self.sent[-1]['name']}-{self.sent[-1]['number']}"
            self.student, self.note = re.sub(r"[^\w@.-]+", "-", name), STRANGER
        if not self.student:
            why = "two on the roster have this name" if named else "its name fits no platform"
            self.note = f"{why}: put it into archive/ID/"


def handed_in(file: str, data: bytes, date: tuple[int, ...]) -> Iterator[HandIn]:
    """Give the file, or what is in it if it is a zip; what cannot be read comes empty."""
    if ADDED.search(file):
        return
    if not file.lower().endswith(".zip"):
        yield HandIn(file, data, date)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = [(e, archive.read(e)) for e in archive.infolist() if not e.is_dir()]
    except Exception:  # torn, encrypted, …: it is named, and the teacher's to open
        yield HandIn(file, b"", date)
        return
    for entry, content in inside:
        yield from handed_in(f"{file}/{entry.filename}", content, entry.date_time)


def checked(notebook: NotebookNode) -> list[str]:
    """Return the ids of the exercises that a notebook checks."""
    return [name for cell in notebook.cells for name in CHECK.findall(cell.source)]


def trouble(found: HandIn, assignment: str, places: dict[str, str]) -> str:
    """Say why a file is not the notebook that is asked for; nothing if it is."""
    if not found.file.endswith(".ipynb"):
        return "no notebook: open it yourself" if found.data else "it cannot be opened"
    try:
        names = checked(nbformat.reads(found.data.decode(), as_version=4))
    except Exception:  # torn, empty, something else: whatever is wrong, it is no notebook
        return "broken: it is no notebook any more"
    there = sorted({places[name] for name in names if name in places})
    if assignment not in there:
        return f"it belongs to {there[0]}" if there else "it has none of the exercises"
    return ""


def write_notebook(found: HandIn, release: Path, target: Path) -> None:
    """Write a student's notebook, with the check cells put back that were lost."""
    notebook = nbformat.reads(found.data.decode(), as_version=4)
    there = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
    lost = 0
    for cell in nbformat.read(release, as_version=4).cells:
        graded = cell.metadata.get("nbgrader", {})
        if graded.get("grade") and graded["grade_id"] not in there:
            cell.id = graded["grade_id"]  # the same each time: it need not be graded again
            notebook.cells.append(cell)
            lost += 1
    found.note = found.note or f"{lost} graded cells put back" * bool(lost)
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)


class HandIns(ExtractorPlugin):
    """Find each student's newest readable notebook, and report on every file."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write `<extracted>/<student>/<notebook>.ipynb` and the table of the hand-ins."""
        archive, place = Path(archive_path), self.parent.coursedir
        root, assignment = Path(place.root), place.assignment_id
        (release,) = (root / place.release_directory / assignment).glob("*.ipynb")
        places = {
            name: path.parent.name
            for path in (root / place.release_directory).glob("*/*.ipynb")
            for name in checked(nbformat.read(path, as_version=4))
        }
        try:
            roster = read_roster(root)
        except ValueError as wrong:
            self.parent.fail(str(wrong))
        files: list[HandIn] = []
        for path in sorted(p for p in archive.rglob("*") if p.is_file() and not p.is_symlink()):
            date = datetime.fromtimestamp(path.stat().st_mtime).timetuple()[:6]
            files += handed_in(path.relative_to(archive).as_posix(), path.read_bytes(), date)
        readable: dict[str, list[HandIn]] = {}
        for found in sorted(files, key=lambda found: found.age):
            found.find_student(roster)
            if found.student and not (why := trouble(found, assignment, places)):
                readable.setdefault(found.student, []).append(found)
            elif found.student:
                found.note = why
        for student, same in readable.items():
            # A second download holds the first one's notebooks again: the earliest is not late.
            taken = next(found for found in same if found.data == same[-1].data)
            taken.state = "late" if taken.late else "on time"
            for other in same:
                other.note = other.note or "another copy counts" * (other is not taken)
            target = Path(extracted_path) / student / release.name
            write_notebook(taken, release, target)
            before = root / "submitted" / student / assignment / target.name
            if before.exists() and before.read_bytes() != target.read_bytes():
                for step in ("autograded", "feedback"):  # another one's grade is forgotten
                    if (old := root / step / student / assignment).exists():
                        rmtree(str(old))
        rows = [(f.student, f.state, f.file, f.note) for f in files]
        came = {found.student for found in files}
        rows += [(student, "missing", "", "") for student in roster if student not in came]
        names = {s: (row["last_name"], row["first_name"]) for s, row in roster.items()}
        head = ("student_id", "last_name", "first_name", "state", "file", "note")
        lines = sorted((s, *names.get(s, ("", "")), *rest) for s, *rest in rows)
        write_table(archive.parent / "hand-ins.csv", head, lines)
        for student, state, file, note in rows:
            if note or state == "missing":
                self.log.warning("%s: %s %s (%s)", student or "?", file, state, note)
