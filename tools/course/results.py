"""What goes back: one table of everybody's points, and the feedback pages.

`Grades` works in `nbgrader export`, `FeedbackPage` in `nbgrader generate_feedback`.
"""

import csv
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hand_ins import (  # type: ignore[import-not-found]  # beside this file
    CANVAS,
    HANDED_IN,
    MOODLE,
    STRANGER,
    read_roster,
    write_table,
)
from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

OTHER_ID = "other id"
RESULTS = {"✓": "right", "✗": "wrong", "→": "guess", "≠": OTHER_ID, "·": "empty"}
KINDS = (*RESULTS.values(), "error")
GRADED = re.compile(r"(on time|late)(?!.*(not graded|see it)).*")  # points are known
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n", re.S)
LISTED = re.compile(r'(?<=<a href="#)(check_([\d_]+)">)Test cell')
HEADED = re.compile(r"()Grade cell: <code>check_([\d_]+)</code>")
FETCHED = re.compile(r'<script[^>]*(?: src="https?:|x-mathjax).*?</script>', re.S)
FORMULA = re.compile(r"\$([^$<>]+)\$")
STYLE = "<style>th, td { padding: .2em .8em } summary { display: list-item }</style>"


def drawn(tex: str, display: str = "inline") -> str:
    """Return a formula as MathML, which a browser draws by itself."""
    tex = re.sub(r"\\tag\{(.*?)\}", r"\\qquad (\1)", tex).replace("{aligned}", "{align*}")
    return str(convert(tex, display=display))


class WithMathML(IPythonRenderer):
    """Markdown with formulas drawn."""

    def inline_math(self, body: str) -> str:
        """Return a formula of a line."""
        return drawn(body)

    def block_math(self, body: str) -> str:
        """Return a displayed formula."""
        return drawn(body, "block")


class FeedbackPage(HTMLExporter):
    """nbgrader's page, which calls an exercise by its number and needs no network."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Return Markdown as HTML."""
        return str(MarkdownWithMath(renderer=WithMathML(escape=False)).render(source))

    def from_notebook_node(self, nb: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the page of a graded notebook."""
        for cell in nb.cells:
            cell.source = HIDDEN.sub("", cell.source)
            if cell.metadata.get("nbgrader", {}).get("grade"):  # its value is for nbgrader alone
                cell.outputs = [o for o in cell.outputs if o.output_type != "execute_result"]
            for output in cell.get("outputs", []):
                if html := output.get("data", {}).get("text/html"):
                    output.data["text/html"] = FORMULA.sub(lambda tex: drawn(tex[1]), html)
        html, resources = super().from_notebook_node(nb, *args, **kwargs)
        html = FETCHED.sub("", html).replace("</head>", f"{STYLE}</head>")
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
            roster = read_roster(root)
        except ValueError as wrong:
            self.parent.fail(str(wrong))
        collected: dict[str, list[dict[str, str]]] = {}
        for path in sorted((root / "downloaded").glob("*/hand-ins.csv")):
            with path.open(encoding="utf-8-sig", newline="") as stream:
                collected[path.parent.name] = list(csv.DictReader(stream))
        every = {row["student_id"] for files in collected.values() for row in files}
        rows, canvas = [], []
        for student in sorted({*roster, *every} - {""}):
            about = roster.get(student, {})
            cells: list[Any] = []
            for name, files in collected.items():
                own = [row for row in files if row["student_id"] == student]
                cells += points(gradebook, root, name, student, own)
            person = [about.get(key, "") for key in ("last_name", "first_name", "email")]
            rows.append([student, *person, *cells, sum(cells[0::3]), sum(cells[1::3])])
            if number := about.get("lms_user_id"):
                states = zip(cells[0::3], cells[2::3], strict=True)
                given = [points if GRADED.fullmatch(state) else "" for points, state in states]
                canvas.append([f"{person[0]}, {person[1]}", number, "", *given])
        parts = [part for name in collected for part in (name, f"{name} of", f"{name} state")]
        head = ["student_id", "last_name", "first_name", "email", *parts, "total", "total of"]
        write_table(target, head, rows)
        write_table(
            target.with_name("canvas.csv"), ["Student", "ID", "Section", *collected], canvas
        )
        write_table(
            target.with_name("mistakes.csv"),
            ["assignment", "exercise", *KINDS, "times", "commonest"],
            (row for name, files in collected.items() for row in mistakes(root, name, files)),
        )
        self.log.info("%d students: %s", len(rows), target)
        for name, files in collected.items():
            self._pack(root, name, files)

    def _pack(self, root: Path, assignment: str, files: list[dict[str, str]]) -> None:
        """Put the feedback pages into one zip, each called as the platform wants it back."""
        counted = {r["student_id"]: r["file"] for r in files if r["state"] in HANDED_IN}
        with zipfile.ZipFile(root / f"feedback-{assignment}.zip", "w") as archive:
            for page in sorted((root / "feedback").glob(f"*/{assignment}/*.html")):
                if called := returned(counted.get(page.parts[-3], ""), page.name):
                    archive.write(page, called)
                else:
                    self.log.warning("No platform sent %s: mail %s", page.parts[-3], page)


def points(
    book: Gradebook, root: Path, assignment: str, student: str, own: list[dict[str, str]]
) -> tuple[float, float, str]:
    """Return points, how many there are, and what came in when."""
    most = book.find_assignment(assignment).max_score
    counted = [row for row in own if row["state"] in HANDED_IN]
    if not counted:
        return 0.0, most, "; ".join(row["note"] for row in own if row["note"]) or "missing"
    state = counted[0]["state"]
    state += f", {STRANGER}" * (counted[0]["note"] == STRANGER)
    graded = list((root / "autograded" / student / assignment).glob("*.ipynb"))
    try:
        submission = book.find_submission(assignment, student)
    except MissingEntry:
        graded = []
    if not graded:
        return 0.0, most, f"{state}, not graded"
    text = graded[0].read_text("utf-8")
    state += ", a cell was stopped" * ("KeyboardInterrupt" in text)
    state += f", {OTHER_ID}" * ('"≠ ' in text)
    return submission.score, most, state + ", see it" * submission.needs_manual_grade


def returned(file: str, page: str) -> str:
    """Return what the platform that sent a file wants a feedback page called; else nothing.

    Moodle takes back a folder that is called as it was sent; Canvas a file with both numbers.
    """
    outer, *parts = file.split("/")
    for part in (*parts, outer):  # the outermost may be the download, called as the course is
        if moodle := MOODLE.match(part):
            return f"{moodle['name']}_{moodle['number']}_assignsubmission_file/{page}"
        if CANVAS.match(part):
            return f"{part.rpartition('.')[0]}.html"
    return ""


def mistakes(root: Path, assignment: str, files: list[dict[str, str]]) -> Iterator[list[Any]]:
    """Give for each exercise how many got what, and the sentence that was said most often."""
    results: dict[str, Counter[str]] = {}
    sentences: dict[str, Counter[str]] = {}
    for student in {row["student_id"] for row in files if row["state"] in HANDED_IN}:
        for path in (root / "autograded" / student / assignment).glob("*.ipynb"):
            for cell in json.loads(path.read_text("utf-8"))["cells"]:
                name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
                if name.startswith("check_"):
                    printed = "".join("".join(o.get("text", "")) for o in cell["outputs"])
                    result = RESULTS.get(printed[:1], "error")
                    results.setdefault(name, Counter())[result] += 1
                    said = [" ".join(printed.split()[2:])] * (result == "wrong")
                    sentences.setdefault(name, Counter()).update(said)
    for name in sorted(results, key=lambda name: [int(x) for x in re.findall(r"\d+", name)]):
        commonest = sentences[name].most_common(1) or [("", 0)]
        counts = [results[name][kind] for kind in KINDS]
        exercise = name.removeprefix("check_").replace("_", ".")
        yield [assignment, exercise, *counts, commonest[0][1], commonest[0][0]]
