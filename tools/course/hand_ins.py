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
from nbgrader.plugins import ExtractorPlugin
from nbgrader.utils import rmtree

MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_")
CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<copy>\d+)_.")
ADDED = re.compile(r"(^|/)(\.|__MACOSX/)")  # what systems and editors leave in a zip
CHECK = re.compile(r'^check\("(\d+)\.', re.M)
ASKS_OWN = "exercises.handout import ask"
TYPED = re.compile(r"^student\s*=\s*[\"']?([^\"'#\n]+)", re.M)
FORMULA = tuple("=+-@\t")
COLUMNS = ("student_id", "last_name", "first_name", "state", "file", "note")
HANDED_IN = ("on time", "late")
OTHER_ID, STRANGER = "other id", "not on the roster"


def write_table(path: Path, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file in which no text is taken for a formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows([f"'{c}" if str(c)[:1] in FORMULA else c for c in row] for row in rows)


def read_roster(root: Path) -> dict[str, dict[str, str]]:
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
    """Return what is left of a name in every platform's file names: `doezoë`."""
    return "".join(filter(str.isalpha, name.casefold()))


def whose(file: str, roster: dict[str, dict[str, str]]) -> tuple[str, str]:
    """Return the id of a file's student, and a note if it is not on the roster."""
    parts = file.split("/")
    sent = [found for part in parts for p in (MOODLE, CANVAS) if (found := p.match(part))]
    for found in sent:  # the outermost may be the download, called as the course is
        for student, row in roster.items():
            if found["number"] == row.get("lms_user_id"):
                return student, ""
        name, orders = letters(found["name"]), (("first", "last"), ("last", "first"))
        called = [
            student
            for student, row in roster.items()
            if name in [letters("".join(row[f"{part}_name"] for part in pair)) for pair in orders]
        ]
        if called:
            two = f"{len(called)} of the roster have this name: put it into archive/ID/"
            return (called[0], "") if len(called) == 1 else ("", two)
    if sent:
        return re.sub(r"[^\w@.-]+", "-", f"{sent[-1]['name']}-{sent[-1]['number']}"), STRANGER
    folder = next((part for part in parts[:-1] if part in roster), "")
    return folder, "" if folder else "its name fits no platform: put it into archive/ID/"


@dataclass
class HandIn:
    """One file that came in, and what becomes of it."""

    file: str  # its path in the archive folder, zip files taken for folders
    data: bytes
    date: tuple[int, ...]
    student: str = ""
    state: str = "not counted"
    note: str = ""

    @property
    def late(self) -> bool:
        """Tell whether the platform, or the teacher's folder, says so."""
        canvas = [found for part in self.file.split("/") if (found := CANVAS.match(part))]
        return self.file.startswith("late/") or any(found["late"] for found in canvas)

    @property
    def age(self) -> tuple[Any, ...]:
        """Sort older before newer; what the teacher mended is the newest."""
        canvas = [found for part in self.file.split("/") if (found := CANVAS.match(part))]
        copy = max((int(found["copy"]) for found in canvas), default=0)
        return self.file.startswith("mended/"), copy, self.late, self.date, self.file


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


def sources(data: bytes) -> str:
    """Return the code of a notebook; nothing if the bytes are none."""
    try:
        cells = nbformat.reads(data.decode(), as_version=4).cells
        return "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    except Exception:  # torn, empty, something else: whatever is wrong, it is no notebook
        return ""


def trouble(found: HandIn, assignment: str, release: Path) -> str:
    """Say why a file is not the notebook that is asked for; nothing if it is."""
    if not found.file.endswith(".ipynb"):
        return "no notebook: open it yourself" if found.data else "it cannot be opened"
    code = sources(found.data)
    if not code:
        return "broken: it is no notebook any more"
    chapters = {f"ch{number}" for number in CHECK.findall(code)}
    if assignment not in chapters:
        other = f"it belongs to {min(chapters)}" if chapters else ""
        return other or "none of the course's exercises is in it"
    own, asked = (ASKS_OWN in text for text in (code, sources(release.read_bytes())))
    if own != asked:
        return "it asks with " + ("a student's own numbers" if own else "the plain numbers")
    return ""


class HandIns(ExtractorPlugin):
    """Find each student's newest readable notebook, and report on every file."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write `<extracted>/<student>/<notebook>.ipynb` and the table of the hand-ins."""
        archive, place = Path(archive_path), self.parent.coursedir
        root, assignment = Path(place.root), place.assignment_id
        (release,) = (root / place.release_directory / assignment).glob("*.ipynb")
        try:
            roster = read_roster(root)
        except ValueError as wrong:
            self.parent.fail(str(wrong))
        files: list[HandIn] = []
        for path in sorted(p for p in archive.rglob("*") if p.is_file() and not p.is_symlink()):
            date = datetime.fromtimestamp(path.stat().st_mtime).timetuple()[:6]
            shown = path.relative_to(archive).as_posix()
            files += handed_in(shown, path.read_bytes(), date)
        readable: dict[str, list[HandIn]] = {}
        for found in sorted(files, key=lambda found: found.age):
            found.student, found.note = whose(found.file, roster)
            if found.student and not (why := trouble(found, assignment, release)):
                readable.setdefault(found.student, []).append(found)
            elif found.student:
                found.note = why
        for same in readable.values():
            choose(same)
            taken = next(found for found in same if found.state in HANDED_IN)
            target = Path(extracted_path) / taken.student / release.name
            self._pass_on(taken, release, target, root)
        rows = [(f.student, f.state, f.file, f.note) for f in files]
        came = {found.student for found in files}
        rows += [(student, "missing", "", "") for student in roster if student not in came]
        names = {student: (row["last_name"], row["first_name"]) for student, row in roster.items()}
        lines = sorted((s, *names.get(s, ("", "")), *rest) for s, *rest in rows)
        write_table(archive.parent / "hand-ins.csv", COLUMNS, lines)
        for student, state, file, note in rows:
            if note or state == "missing":
                self.log.warning("%s: %s %s (%s)", student or "?", file, state, note)
        self.log.info("Every file stands in %s", archive.parent / "hand-ins.csv")

    @staticmethod
    def _pass_on(taken: HandIn, release: Path, target: Path, root: Path) -> None:
        """Write a notebook, with lost check cells put back; forget what another one got."""
        notebook = nbformat.reads(taken.data.decode(), as_version=4)
        there = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
        checks = [c for c in nbformat.read(release, as_version=4).cells if "check" in tags(c)]
        lost = [cell for cell in checks if cell.metadata.nbgrader.grade_id not in there]
        for cell in lost:  # the same each time: what is collected again is not graded again
            cell.id = cell.metadata.nbgrader.grade_id
        notebook.cells += lost
        notes = [f"{len(lost)} graded cells put back"] * bool(lost)
        typed = TYPED.search(sources(taken.data)) if ASKS_OWN in sources(taken.data) else None
        if typed and typed[1].strip().casefold() not in ("...", taken.student.casefold()):
            notes.append(f"{OTHER_ID}: “{typed[1].strip()}”")
        taken.note = "; ".join(filter(None, (taken.note, *notes)))
        target.parent.mkdir(parents=True)
        nbformat.write(notebook, target)
        student, assignment = taken.student, target.parents[2].name
        before = root / "submitted" / student / assignment / target.name
        if before.exists() and before.read_bytes() != target.read_bytes():
            for step in ("autograded", "feedback"):
                if (old := root / step / student / assignment).exists():
                    rmtree(str(old))


def tags(cell: Any) -> list[str]:
    """Return a cell's tags."""
    return list(cell.metadata.get("tags", []))


def choose(same: list[HandIn]) -> None:
    """Mark which of a student's notebooks, older before newer, counts, and whether it is late.

    A second download holds the first one's notebooks again: the earliest like the newest counts.
    """
    taken = next(found for found in same if found.data == same[-1].data)
    sent = [found for found in same if not found.file.startswith("mended/")] or same
    late = (sent[-1] if taken.file.startswith("mended/") else taken).late
    for found in same:
        found.note = found.note or "another copy counts"
    taken.state = "late" if late else "on time"
    taken.note = "" if taken.note == "another copy counts" else taken.note
