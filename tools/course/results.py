"""What goes back: one table of everybody's points, and the feedback pages.

`Grades` works in `nbgrader export`, `FeedbackPage` in `nbgrader generate_feedback`.
"""

import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from hand_ins import (  # type: ignore[import-not-found]  # beside this file
    CANVAS,
    HANDED_IN,
    MOODLE,
    OTHER_ID,
    STRANGER,
    Roster,
    grade_id,
    table,
    write_table,
)
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

RESULTS = {"✓": "right", "✗": "wrong", "→": "guess", "≠": OTHER_ID, "·": "empty"}
GRADED = re.compile(r"(on time|late)(?!.*(not graded|see it)).*")  # points are known
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n", re.S)
LISTED = re.compile(r'(<a href="#check_([\d_]+)">)Test cell')
HEADED = re.compile(r"()Grade cell: <code>check_([\d_]+)</code>")

Rows = list[dict[str, str]]


class FeedbackPage(HTMLExporter):
    """nbgrader's page, which calls an exercise by its number and shows no grading line."""

    def from_notebook_node(self, nb: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the page of a graded notebook."""
        for cell in nb.cells:
            cell.source = HIDDEN.sub("", cell.source)
        html, resources = super().from_notebook_node(nb, *args, **kwargs)
        for place in (LISTED, HEADED):
            html = place.sub(lambda at: f"{at[1]}Exercise {at[2].replace('_', '.')}", html)
        return html, resources


class Grades(ExportPlugin):
    """One line a student with points, lateness and total; and what the class got wrong."""

    def export(self, gradebook: Gradebook) -> None:
        """Write `grades.csv` (or `--to`) and, beside it, what else a teacher needs."""
        root = Path(self.parent.coursedir.root)
        target = Path(self.to or root / "grades.csv")
        try:
            roster = Roster(root)
        except ValueError as wrong:
            self.parent.fail(str(wrong))
        collected = {
            assignment.name: table(path)
            for assignment in sorted(gradebook.assignments, key=lambda found: found.name)
            if (path := root / "downloaded" / assignment.name / "hand-ins.csv").exists()
        }
        every = (row["student_id"] for files in collected.values() for row in files)
        people = {student for student in (*roster.rows, *every) if student}
        head = ["student_id", "last_name", "first_name", "email"]
        head += [part for name in collected for part in (name, f"{name} of", f"{name} state")]
        rows, canvas = [], []
        for student in sorted(people, key=lambda found: (roster.name(found)[0], found)):
            last, first = roster.name(student)
            cells: list[Any] = []
            for name, files in collected.items():
                own = [row for row in files if row["student_id"] == student]
                cells += self._points(gradebook, root, name, student, own)
            about = roster.rows.get(student, {})
            rows.append([student, last, first, about.get("email", ""), *cells])
            rows[-1] += [sum(cells[0::3]), sum(cells[1::3])]
            if number := about.get("lms_user_id"):
                states = zip(cells[0::3], cells[2::3], strict=True)
                given = [points if GRADED.fullmatch(state) else "" for points, state in states]
                canvas.append([f"{last}, {first}", number, "", *given])
        write_table(target, [*head, "total", "total of"], rows)
        if canvas:
            columns = ("Student", "ID", "Section", *collected)
            write_table(target.with_name("canvas.csv"), columns, canvas)
        mistakes = target.with_name("mistakes.csv")
        columns = ("right", "wrong", "guess", OTHER_ID, "empty", "error")
        write_table(
            mistakes,
            ("assignment", "exercise", *columns, "times", "commonest"),
            [row for name, files in collected.items() for row in said(root, name, files, columns)],
        )
        self.log.info("%d students: %s; by exercise: %s", len(rows), target, mistakes)
        for name, files in collected.items():
            self._pack(root, name, files)

    @staticmethod
    def _points(
        book: Gradebook, root: Path, assignment: str, student: str, own: Rows
    ) -> tuple[float, float, str]:
        """Return points, how many there are, and what came in when."""
        most = book.find_assignment(assignment).max_score
        notes = "; ".join(row["note"] for row in own if row["note"])
        counted = [row for row in own if row["state"] in HANDED_IN]
        if not counted:
            return 0.0, most, notes or "missing"
        state = "late" if "late" in [row["state"] for row in counted] else "on time"
        for known in (STRANGER, OTHER_ID):
            state += f", {known}" * any(known in row["note"] for row in counted)
        if not (root / "autograded" / student / assignment).exists():
            return 0.0, most, f"{state}, not graded"
        try:
            submission = book.find_submission(assignment, student)
        except MissingEntry:
            return 0.0, most, f"{state}, not graded"
        return submission.score, most, state + ", see it" * submission.needs_manual_grade

    def _pack(self, root: Path, assignment: str, files: Rows) -> None:
        """Put the feedback pages into one zip, each called as the platform wants it back."""
        names: dict[str, str] = {}
        for row in sorted(files, key=lambda row: row["state"] in HANDED_IN):
            if name := returned(row["file"]):
                names[row["student_id"]] = name
        counted = {row["student_id"] for row in files if row["state"] in HANDED_IN}
        pages = sorted((root / "feedback").glob(f"*/{assignment}/*.html"))
        pages = [page for page in pages if page.parts[-3] in counted]
        if not pages:
            return
        target = root / f"feedback-{assignment}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for page in pages:
                if called := names.get(page.parts[-3]):
                    archive.write(
                        page, f"{called}/{page.name}" if MOODLE.match(called) else called
                    )
        self.log.info("%d feedback pages to upload: %s", len(archive.namelist()), target)
        for page in pages:
            if page.parts[-3] not in names:
                self.log.warning("No platform sent %s: mail %s", page.parts[-3], page)


def returned(file: str) -> str:
    """Return what the platform that sent a file wants its feedback called; else nothing.

    Moodle takes back a folder that is called as it was sent; Canvas a file with both numbers.
    """
    outer, *parts = file.split("/")
    for part in (*parts, outer):  # the outermost may be the download, called as the course is
        if moodle := MOODLE.match(part):
            name = moodle["name"].replace("_", " ")
            return f"{name}_{moodle['number']}_assignsubmission_file"
        if CANVAS.match(part):
            return f"{part.rpartition('.')[0]}.html"
    return ""


def said(root: Path, assignment: str, files: Rows, columns: tuple[str, ...]) -> list[list[Any]]:
    """Return for each exercise how many got what, and the sentence that was said most often."""
    results: dict[str, Counter[str]] = {}
    sentences: dict[str, Counter[str]] = {}
    counted = {row["student_id"] for row in files if row["state"] in HANDED_IN}
    for path in (root / "autograded").glob(f"*/{assignment}/*.ipynb"):
        if path.parts[-3] not in counted:
            continue
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if not grade_id(cell).startswith("check_"):
                continue
            exercise = grade_id(cell).removeprefix("check_").replace("_", ".")
            printed = "".join("".join(output.get("text", "")) for output in cell["outputs"])
            result = RESULTS.get(printed[:1], "error")
            results.setdefault(exercise, Counter())[result] += 1
            if result == "wrong":
                sentence = " ".join(printed.split()[2:])
                sentences.setdefault(exercise, Counter())[sentence] += 1
    rows: list[list[Any]] = []
    for exercise in sorted(results, key=lambda name: [int(x) for x in re.findall(r"\d+", name)]):
        top = sentences.get(exercise, Counter()).most_common(1)
        commonest = [top[0][1], top[0][0]] if top else [0, ""]
        counts = [results[exercise][name] for name in columns]
        rows.append([assignment, exercise, *counts, *commonest])
    return rows
