"""Two plugins for nbgrader: whose notebook is whose, and one table of everybody's points.

`HandIns` works in `nbgrader zip_collect`. It opens what Canvas or Moodle let you download, zip
files as they are, finds each file's student on the roster, and passes on the newest notebook that
can be read. Every file, and every student without one, gets a line in
`downloaded/<assignment>/hand-ins.csv`. `Grades` works in `nbgrader export`.
"""

import csv
import io
import json
import re
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin, ExtractorPlugin
from nbgrader.utils import rmtree

MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_")
CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<copy>\d+)_.")
NO_HAND_IN = re.compile(r"(^|/)(\.|__MACOSX/)")  # what systems and editors leave in a zip
LARGEST = 100_000_000  # bytes
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
HANDED_IN = ("on time", "late")
COLUMNS = ("student_id", "last_name", "first_name", "state", "file", "note")


def words(name: str) -> tuple[str, ...]:
    """Return a name's words without accents, in no order: `Doe, Zoë` is `Zoe Doe`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore") or name.encode()
    return tuple(sorted(re.findall(r"\w+", plain.decode().casefold())))


def squeezed(name: str) -> str:
    """Return a name as Canvas writes it before a file's name: `doezoe`."""
    return "".join(c for c in name.casefold() if c.isalnum())


def table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file; none gives no rows."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return [
            {k: (v or "").strip() for k, v in row.items() if k} for row in csv.DictReader(stream)
        ]


def write_table(path: Path, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file in which no text is taken for a formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        for row in rows:
            writer.writerow(
                f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" and cell else cell
                for cell in row
            )


@dataclass
class HandIn:
    """One file that came in, and what becomes of it."""

    file: str  # its path in the archive folder, zip files taken for folders
    data: bytes
    date: tuple[int, ...]
    student: str = ""
    state: str = "not counted"
    note: str = ""
    late: bool = False
    copy: int = 0  # Canvas numbers all that is handed in, one after the other
    notebook: str = ""
    content: dict[str, Any] = field(default_factory=dict)

    @property
    def age(self) -> tuple[Any, ...]:
        """Sort older before newer."""
        return self.copy, self.late, self.date, self.file


def handed_in(folder: Path) -> Iterator[HandIn]:
    """Give every file below a folder, zip files opened."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        shown = path.relative_to(folder).as_posix()
        if not NO_HAND_IN.search(shown):
            date = datetime.fromtimestamp(path.stat().st_mtime).timetuple()[:6]
            yield from opened(HandIn(shown, path.read_bytes(), date))


def opened(found: HandIn, depth: int = 0) -> Iterator[HandIn]:
    """Give the file, or what is in it if it is a zip; what cannot be read comes empty."""
    if not found.file.lower().endswith(".zip") or depth == 4:
        yield found
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(found.data))
    except UNREADABLE:
        yield HandIn(found.file, b"", found.date)
        return
    with archive:
        for entry in archive.infolist():
            shown = f"{found.file}/{entry.filename}"
            if entry.is_dir() or NO_HAND_IN.search(shown):
                continue
            try:
                data = archive.read(entry) if entry.file_size <= LARGEST else b""
            except UNREADABLE:
                data = b""
            yield from opened(HandIn(shown, data, entry.date_time), depth + 1)


class Roster:
    """The students of `roster.csv`, found by what a file's name says of them."""

    def __init__(self, root: Path, archive: Path | None = None) -> None:
        self.rows = {row["id"]: row for row in table(root / "roster.csv") if row.get("id")}
        self.emails: dict[str, str] = {}  # from Moodle's grading worksheet: number to address
        for sheet in sorted(archive.rglob("*.csv")) if archive else []:
            for row in table(sheet):
                number = "".join(re.findall(r"\d+", row.get("Identifier", "")))
                self.emails[number] = row.get("Email address", "")

    def name(self, student: str) -> tuple[str, str]:
        """Return last and first name."""
        row = self.rows.get(student, {})
        return row.get("last_name", ""), row.get("first_name", "")

    def _with(self, **wanted: object) -> list[str]:
        """Return who has one of these; an empty one nobody has."""

        def fits(row: dict[str, str]) -> bool:
            full = f"{row.get('last_name', '')} {row.get('first_name', '')}"
            own = {
                "id": row["id"],
                "lms": row.get("lms_user_id"),
                "email": row.get("email", "").casefold(),
                "words": words(full),
                "squeezed": squeezed(full),
            }
            return any(value and own[key] == value for key, value in wanted.items())

        return [student for student, row in self.rows.items() if fits(row)]

    def find(self, file: str) -> tuple[str, str]:
        """Return the id of a file's student, and a note if there is something to say of it."""
        parts = file.split("/")
        if moodle := next(filter(None, map(MOODLE.match, parts)), None):
            name, number = moodle["name"], moodle["number"]
            by_email = self._with(email=self.emails.get(number, "").casefold())
            known = by_email or self._with(words=words(name))
            if len(known) > 1:
                note = (
                    f"{len(known)} on the roster are called {name}: add Moodle's grading worksheet"
                )
                return "", note
            return (known[0], "") if known else self._stranger(f"{name}-{number}")
        canvas = [found for found in map(CANVAS.match, parts) if found]
        for found in canvas:
            number = found["number"]
            by_number = self._with(id=number, lms=number)
            known = by_number or self._with(squeezed=squeezed(found["name"]))
            if len(known) == 1:
                return known[0], ""
        if canvas:
            return self._stranger(canvas[-1]["number"])
        for part in parts:
            begins = re.split(r"[_.]", part)[0]
            known = self._with(id=part) or self._with(id=begins) or self._with(words=words(part))
            if len(known) == 1:
                return known[0], ""
        return "", "whose it is, its name does not say"

    @staticmethod
    def _stranger(name: str) -> tuple[str, str]:
        return re.sub(r"[^\w@.-]+", "-", name), "not on the roster"


def grade_id(cell: dict[str, Any]) -> str:
    """Return the name nbgrader knows a cell by."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def text(cell: dict[str, Any]) -> str:
    """Return a cell's source, which a file may hold line by line."""
    return "".join(cell["source"]).strip()


def released(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the check cells of each notebook of an assignment."""
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        graded = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade")]
        found[path.stem] = graded
    return found


def read(data: bytes) -> dict[str, Any] | None:
    """Return a notebook without outputs; None if the bytes are none."""
    try:
        content = json.loads(data)
        for cell in content["cells"]:
            text(cell), grade_id(cell), content["nbformat"] + 1
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return dict(content)


class HandIns(ExtractorPlugin):
    """Find each student's newest readable notebook, and report on every file."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write `<extracted>/<student>/<notebook>.ipynb` and the table of the hand-ins."""
        archive, place = Path(archive_path), self.parent.coursedir
        root, assignment = Path(place.root), place.assignment_id
        roster = Roster(root, archive)
        everything = {
            p.name: released(p) for p in sorted((root / place.release_directory).iterdir())
        }
        files = []
        for found in handed_in(archive):
            if found.file.endswith(".csv") and "/" not in found.file:
                continue  # Moodle's worksheet
            self._look(found, roster, everything, assignment)
            found.data = b""
            files.append(found)
        for taken in choose(files):
            self._pass_on(taken, everything[assignment], root, Path(extracted_path))
        self._report(files, roster, archive.parent / "hand-ins.csv")

    @staticmethod
    def _look(found: HandIn, roster: Roster, everything: dict[str, Any], assignment: str) -> None:
        """Say whose the file is, and which notebook, or why it is none."""
        found.student, found.note = roster.find(found.file)
        parts = found.file.split("/")
        found.late = parts[0] == "late"
        if canvas := next(filter(None, map(CANVAS.match, parts)), None):
            found.late, found.copy = found.late or bool(canvas["late"]), int(canvas["copy"])
        content = read(found.data)
        if not found.student:
            return
        if not found.file.endswith(".ipynb"):
            found.note = "no notebook: open it yourself" if found.data else "it cannot be opened"
        elif content is None:
            found.note = "broken: it is no notebook any more" if found.data else "an empty file"
        else:
            in_it = {grade_id(cell) for cell in content["cells"]}
            sources = {text(cell) for cell in content["cells"]}
            for name, notebooks in everything.items():
                for notebook, checks in notebooks.items():
                    if any(grade_id(c) in in_it or text(c) in sources for c in checks):
                        found.notebook, belongs = notebook, name
            if not found.notebook:
                found.note = "none of the course's exercises is in it"
            elif belongs != assignment:
                found.notebook, found.note = "", f"it belongs to {belongs}"
            found.content = content

    @staticmethod
    def _pass_on(taken: HandIn, checks: dict[str, Any], root: Path, extracted: Path) -> None:
        """Write a notebook, with deleted check cells put back; forget an older one's grade."""
        cells = taken.content["cells"]
        there = {grade_id(cell) for cell in cells}
        lost = [cell for cell in checks[taken.notebook] if grade_id(cell) not in there]
        if lost:
            cells += [{**cell, "id": grade_id(cell)} for cell in lost]
            taken.note = "; ".join(filter(None, (taken.note, f"{len(lost)} check cells put back")))
        target = extracted / taken.student / f"{taken.notebook}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(taken.content), encoding="utf-8")
        assignment = extracted.parent.name
        before = root / "submitted" / taken.student / assignment / target.name
        if before.exists() and before.read_bytes() != target.read_bytes():
            for step in ("autograded", "feedback"):
                if (old := root / step / taken.student / assignment).exists():
                    rmtree(str(old))

    def _report(self, files: list[HandIn], roster: Roster, target: Path) -> None:
        """Write a line for each file, and for each student of whom nothing came."""
        rows = [(f.student, *roster.name(f.student), f.state, f.file, f.note) for f in files]
        came = {found.student for found in files}
        rows += [(s, *roster.name(s), "missing", "", "") for s in roster.rows if s not in came]
        write_table(target, COLUMNS, sorted(rows))
        for state, count in sorted(Counter(row[3] for row in rows).items()):
            self.log.info("%4d %s", count, state)
        for student, _, _, state, file, note in sorted(rows):
            if state not in HANDED_IN or note:
                self.log.warning("%s: %s %s (%s)", student or "?", file, state, note)
        self.log.info("Every file stands in %s", target)


def choose(files: list[HandIn]) -> list[HandIn]:
    """Return the newest of each student's copies of a notebook; say what becomes of the others."""
    copies: dict[tuple[str, str], list[HandIn]] = {}
    for found in sorted(files, key=lambda found: found.age):
        if found.notebook:
            copies.setdefault((found.student, found.notebook), []).append(found)
    taken = []
    for same in copies.values():
        newest = same[-1]
        first = next(found for found in same if found.content == newest.content)
        for found in same:
            found.note = found.note or "another copy counts"
        first.note = "" if first.note == "another copy counts" else first.note
        first.state = "late" if first.late else "on time"
        taken.append(first)
    return taken


class Grades(ExportPlugin):
    """One line a student with points, lateness and total; and what the class got wrong."""

    def export(self, gradebook: Gradebook) -> None:
        """Write `grades.csv` (or `--to`) and `mistakes.csv` beside it."""
        root = Path(self.parent.coursedir.root)
        target, roster = Path(self.to or root / "grades.csv"), Roster(root)
        people = {s.id: (s.last_name, s.first_name, s.email) for s in gradebook.students}
        for student, row in roster.rows.items():
            people[student] = (*roster.name(student), row.get("email", ""))
        collected = {
            assignment.name: table(path)
            for assignment in sorted(gradebook.assignments, key=lambda found: found.name)
            if (path := root / "downloaded" / assignment.name / "hand-ins.csv").exists()
        }
        for row in (row for files in collected.values() for row in files if row["student_id"]):
            people.setdefault(row["student_id"], ("", "", ""))
        head = ["student_id", "last_name", "first_name", "email"]
        head += [part for name in collected for part in (name, f"{name} of", f"{name} state")]
        rows = []
        for student, about in sorted(people.items(), key=lambda item: (item[1][0] or "", item[0])):
            cells: list[Any] = []
            for name, files in collected.items():
                cells += self._points(gradebook, root, name, student, files)
            rows.append([student, *about, *cells, sum(cells[0::3]), sum(cells[1::3])])
        write_table(target, [*head, "total", "total of"], rows)
        mistakes = target.with_name("mistakes.csv")
        write_table(
            mistakes,
            ("assignment", "exercise", "right", "wrong", "empty", "error", "times", "commonest"),
            [row for name in collected for row in said(root, name)],
        )
        self.log.info("%d students: %s; by exercise: %s", len(rows), target, mistakes)

    @staticmethod
    def _points(
        book: Gradebook, root: Path, assignment: str, student: str, files: list[dict[str, str]]
    ) -> tuple[float, float, str]:
        """Return points, how many there are, and what came in when."""
        most = book.find_assignment(assignment).max_score
        own = [row for row in files if row["student_id"] == student]
        counted = [row["state"] for row in own if row["state"] in HANDED_IN]
        if not counted:
            notes = "; ".join(row["note"] for row in own if row["note"])
            return 0.0, most, notes or "missing"
        state = "late" if "late" in counted else "on time"
        if not (root / "autograded" / student / assignment).exists():
            return 0.0, most, f"{state}, not graded"
        try:
            submission = book.find_submission(assignment, student)
        except MissingEntry:
            return 0.0, most, f"{state}, not graded"
        return submission.score, most, state + ", see it" * submission.needs_manual_grade


def said(root: Path, assignment: str) -> list[tuple[Any, ...]]:
    """Return for each exercise how many got what, and the sentence that was said most often."""
    results: dict[str, Counter[str]] = {}
    sentences: dict[str, Counter[str]] = {}
    names = {"✓": "right", "→": "right", "✗": "wrong", "·": "empty"}  # → meets a guess
    for path in (root / "autograded").glob(f"*/{assignment}/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if not grade_id(cell).startswith("check_"):
                continue
            exercise = grade_id(cell).removeprefix("check_").replace("_", ".")
            printed = "".join("".join(output.get("text", "")) for output in cell["outputs"])
            result = names.get(printed[:1], "error")
            results.setdefault(exercise, Counter())[result] += 1
            if result == "wrong":
                sentence = " ".join(printed.split()[2:])
                sentences.setdefault(exercise, Counter())[sentence] += 1
    rows: list[tuple[Any, ...]] = []
    for exercise in sorted(results, key=lambda name: [int(x) for x in re.findall(r"\d+", name)]):
        counts = [results[exercise][name] for name in ("right", "wrong", "empty", "error")]
        top = sentences.get(exercise, Counter()).most_common(1)
        rows.append((assignment, exercise, *counts, *((top[0][1], top[0][0]) if top else (0, ""))))
    return rows
