"""Whose notebook is whose: `HandIns` works in `nbgrader zip_collect`.

It opens what Canvas or Moodle let you download, zip files as they are, finds each file's student
on the roster, and passes on the newest notebook that can be read. Every file, and every student
without one, gets a line in `downloaded/<assignment>/hand-ins.csv`.
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

from nbgrader.plugins import ExtractorPlugin
from nbgrader.utils import rmtree

MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_")
CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<copy>\d+)_.")
NO_HAND_IN = re.compile(r"(^|/)(\.|__MACOSX/)")  # what systems and editors leave in a zip
LARGEST = 100_000_000  # bytes
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
HANDED_IN = ("on time", "late")
COLUMNS = ("student_id", "last_name", "first_name", "state", "file", "note")
ROSTER = ("id", "last_name", "first_name")  # what it cannot do without
SAME, OTHER_ID, STRANGER = "the same again", "other id", "not on the roster"
PLAIN_NOT_OWN = "it asks with the plain numbers, and here each student's own are graded"
OWN_NOT_PLAIN = "it asks with a student's own numbers, and here the plain ones are graded"
ASKS_OWN = "exercises.handout import ask"  # in the first cell of numbers of a student's own
TYPED = re.compile(r"""^student\s*=\s*(["']?)([^"'#\n]+)\1""", re.M)


def words(name: str) -> tuple[str, ...]:
    """Return a name's words without accents, in no order: `Doe, Zoë` is `Zoe Doe`."""
    name = re.sub("['’ʼ`´\"]", "", name)  # of O'Connor, Moodle's file names keep OConnor
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore") or name.encode()
    return tuple(sorted(re.findall(r"\w+", plain.decode().casefold())))


def squeezed(name: str) -> str:
    """Return a name as Canvas writes it before a file's name: `doezoe`."""
    return "".join(c for c in name.casefold() if c.isalnum())


def table(path: Path, needed: Iterable[str] = ()) -> list[dict[str, str]]:
    """Read a CSV file, with commas, semicolons or tabs; it must have these columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"There is no {path.name} in {path.parent}.") from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not in UTF-8: save it as “CSV UTF-8”, or names lose their accents."
        ) from None
    head = text.partition("\n")[0].strip()
    rows = csv.DictReader(io.StringIO(text, ""), delimiter=max(",;\t", key=head.count))
    if missing := [name for name in needed if name not in (rows.fieldnames or ())]:
        raise ValueError(
            f"{path.name} has no column {' or '.join(missing)}: its first line should be "
            f"“id,last_name,first_name,email,lms_user_id” and is “{head}”."
        )
    found = []
    for row in rows:
        if needed and None in row:
            raise ValueError(
                f"{path.name}, line {rows.line_num} has more columns than the first line: a name "
                'with a comma in it needs quotes, "Doe, Jr.".'
            )
        found.append({k: (v or "").strip() for k, v in row.items() if k})
    return found


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
    mended: bool = False  # by the teacher
    copy: int = 0  # Canvas numbers all that is handed in, one after the other
    notebook: str = ""
    content: dict[str, Any] = field(default_factory=dict)

    @property
    def age(self) -> tuple[Any, ...]:
        """Sort older before newer."""
        return self.mended, self.copy, self.late, self.date, self.file


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
        rows = [row for row in table(root / "roster.csv", ROSTER) if row["id"]]
        self.rows = {row["id"]: row for row in rows}
        if twice := [row["id"] for row in rows if self.rows[row["id"]] is not row]:
            raise ValueError(f"roster.csv has two students with the id “{twice[0]}”.")
        self.emails: dict[str, str] = {}  # from Moodle's grading worksheet: number to address
        for sheet in sorted(archive.glob("*.csv")) if archive else []:
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
            return self._stranger(f"{canvas[-1]['name']}-{canvas[-1]['number']}")
        for part in parts:
            begins = re.split(r"[_.]", part)[0]
            known = self._with(id=part) or self._with(id=begins) or self._with(words=words(part))
            if len(known) == 1:
                return known[0], ""
        return "", "whose it is, its name does not say"

    @staticmethod
    def _stranger(name: str) -> tuple[str, str]:
        return re.sub(r"[^\w@.-]+", "-", name), STRANGER


def grade_id(cell: dict[str, Any]) -> str:
    """Return the name nbgrader knows a cell by."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def text(cell: dict[str, Any]) -> str:
    """Return a cell's source, which a file may hold line by line."""
    return "".join(cell["source"]).strip()


@dataclass
class Released:
    """A notebook as it was handed out: its check cells, and whether each asks with own numbers."""

    checks: list[dict[str, Any]]
    own: bool


def asks_own(cells: Iterable[dict[str, Any]]) -> bool:
    """Say whether a notebook asks each student with numbers of their own."""
    return any(ASKS_OWN in text(cell) or text(cell).startswith('ask("') for cell in cells)


def released(folder: Path) -> dict[str, Released]:
    """Return the notebooks of an assignment."""
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        graded = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade")]
        found[path.stem] = Released(graded, asks_own(cells))
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


def typed_id(cells: Iterable[dict[str, Any]]) -> str:
    """Return the id that a student wrote into a notebook with numbers of their own."""
    asking = (text(cell) for cell in cells if ASKS_OWN in text(cell))
    found = next(filter(None, map(TYPED.search, asking)), None)
    typed = found[2].strip().casefold() if found else ""
    return "" if typed == "..." else typed


class HandIns(ExtractorPlugin):
    """Find each student's newest readable notebook, and report on every file."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write `<extracted>/<student>/<notebook>.ipynb` and the table of the hand-ins."""
        archive, place = Path(archive_path), self.parent.coursedir
        root, assignment = Path(place.root), place.assignment_id
        try:
            roster = Roster(root, archive)
        except ValueError as wrong:
            self.parent.fail(str(wrong))
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
        found.late, found.mended = parts[0] == "late", parts[0] == "mended"
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
                for notebook, out in notebooks.items():
                    if any(grade_id(c) in in_it or text(c) in sources for c in out.checks):
                        found.notebook, belongs, asked = notebook, name, out.own
            own = asks_own(content["cells"])
            if not found.notebook:
                found.note = "none of the course's exercises is in it"
            elif belongs != assignment:
                found.notebook, found.note = "", f"it belongs to {belongs}"
            elif own != asked:
                found.notebook, found.note = "", PLAIN_NOT_OWN if asked else OWN_NOT_PLAIN
            elif own and (typed := typed_id(content["cells"])) not in (
                "",
                found.student.casefold(),
            ):
                found.note = "; ".join(filter(None, (found.note, f"{OTHER_ID}: “{typed}”")))
            found.content = content

    @staticmethod
    def _pass_on(taken: HandIn, out: dict[str, Released], root: Path, extracted: Path) -> None:
        """Write a notebook, with deleted check cells put back; forget an older one's grade."""
        cells = taken.content["cells"]
        there = {grade_id(cell) for cell in cells}
        lost = [cell for cell in out[taken.notebook].checks if grade_id(cell) not in there]
        if lost:
            cells += [{**cell, "id": grade_id(cell)} for cell in lost]
            said = f"{len(lost)} graded cell{'s' * (len(lost) > 1)} put back"
            taken.note = "; ".join(filter(None, (taken.note, said)))
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
            if (state not in HANDED_IN or note) and note != SAME:
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
        first = newest(same)
        sent = [found for found in same if not found.mended] or same
        first.state = "late" if newest(sent).late else "on time"
        for found in same:
            if found is not first:
                again = found.content == first.content
                found.note = found.note or (SAME if again else "another copy counts")
        taken.append(first)
    return taken


def newest(same: list[HandIn]) -> HandIn:
    """Return the first of those that have the last one's content."""
    return next(found for found in same if found.content == same[-1].content)
