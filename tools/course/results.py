"""What goes back: one table of everybody's points, and the feedback pages.

`Grades` works in `nbgrader export`, `FeedbackPage` in `nbgrader generate_feedback`.
"""

import csv
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hand_ins import read_roster, write_table  # type: ignore[import-not-found]  # beside this file
from latex2mathml.converter import convert
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

RESULTS = {"✓": "right", "✗": "wrong", "→": "guess", "≠": "other id", "·": "empty"}
KINDS = (*RESULTS.values(), "error")
SEEN = {"KeyboardInterrupt": ", a cell was stopped", '"≠ ': ", other id"}  # in a graded notebook
CAME = ("on time", "late")
SHOWN = ("text/html", "text/markdown")
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n", re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.S)
CHANGED = {  # in nbgrader's page: an exercise has its number, nothing is fetched, tables breathe
    r'check_(\w+)_(\d+)">Test cell': r'check_\1_\2">Exercise \1.\2',
    r"Grade cell: <code>check_(\w+)_(\d+)</code>": r"Exercise \1.\2",
    r'(?s)<script[^>]*(?: src="https?:|x-mathjax).*?</script>': "",
    "</style>": "th, td { padding: .2em .8em } summary { display: list-item }</style>",
}


def drawn(text: str) -> str:
    """Return a text with its formulas as MathML, which a browser draws by itself."""

    def formula(match: re.Match[str]) -> str:
        tex = re.sub(r"\\tag\{(.*?)\}", r"\\qquad (\1)", match[1] or match[2])
        display = "block" if match[1] else "inline"
        return str(convert(tex.replace("{aligned}", "{align*}"), display=display))

    return FORMULA.sub(formula, text)


class FeedbackPage(HTMLExporter):
    """nbgrader's page, which calls an exercise by its number and needs no network."""

    def from_notebook_node(self, nb: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the page of a graded notebook."""
        for cell in nb.cells:
            cell.source = HIDDEN.sub("", cell.source)
            if cell.cell_type == "markdown":
                cell.source = drawn(cell.source)
            if cell.metadata.get("nbgrader", {}).get("grade"):  # its value is for nbgrader alone
                cell.outputs = [o for o in cell.outputs if o.output_type != "execute_result"]
            for data in (output.get("data", {}) for output in cell.get("outputs", [])):
                data |= {kind: drawn(data[kind]) for kind in data if kind in SHOWN}
        html, resources = super().from_notebook_node(nb, *args, **kwargs)
        for there, instead in CHANGED.items():
            html = re.sub(there, instead, html)
        return html, resources


class Grades(ExportPlugin):
    """One line a student with points and what came in; and what the class got wrong."""

    def export(self, gradebook: Gradebook) -> None:
        """Write `grades.csv` (or `--to`) and, beside it, what else a teacher needs."""
        root = Path(self.parent.coursedir.root)
        target = Path(self.to or root / "grades.csv")
        students = sorted(read_roster(root).values(), key=lambda row: row["id"])
        head = ["id", "last_name", "first_name", "email"]
        grades: list[list[Any]] = [[row[key] for key in head] for row in students]
        canvas = [[f"{r['last_name']}, {r['first_name']}", r["lms_user_id"], ""] for r in students]
        mistakes: list[list[Any]] = []
        tables = sorted((root / "downloaded").glob("*/hand-ins.csv"))
        names = [path.parent.name for path in tables]
        for name, path in zip(names, tables, strict=True):
            with path.open(encoding="utf-8-sig", newline="") as stream:
                files = list(csv.DictReader(stream))
            notebooks = {
                path.parts[-3]: path.read_text("utf-8")
                for path in (root / "autograded").glob(f"*/{name}/*.ipynb")
            }
            for line, canvas_line in zip(grades, canvas, strict=True):
                points, state = result(gradebook, name, line[0], files, notebooks.get(line[0], ""))
                line += [points, gradebook.find_assignment(name).max_score, state]
                canvas_line.append(points)
            mistakes += [[name, *row] for row in counted(notebooks.values())]
            self._pack(root, name, files)
        head += [part for name in names for part in (name, f"{name} of", f"{name} state")]
        write_table(target, head, grades)
        write_table(target.with_name("canvas.csv"), ["Student", "ID", "Section", *names], canvas)
        head = ["assignment", "exercise", *KINDS, "commonest", "times"]
        write_table(target.with_name("mistakes.csv"), head, mistakes)

    def _pack(self, root: Path, assignment: str, files: list[dict[str, str]]) -> None:
        """Put the feedback pages into one zip, each called as the platform wants it back."""
        sent = {row["student_id"]: row["sent"] for row in files if row["state"] in CAME}
        with zipfile.ZipFile(root / f"feedback-{assignment}.zip", "w") as archive:
            for page in sorted((root / "feedback").glob(f"*/{assignment}/*.html")):
                if not (called := sent.get(page.parts[-3])):
                    self.log.warning("No platform sent %s: mail %s", page.parts[-3], page)
                elif "_assignsubmission_" in called:  # Moodle takes back the student's folder
                    archive.write(page, f"{called}/{page.name}")
                else:
                    archive.write(page, f"{called}.html")


def result(
    book: Gradebook, assignment: str, student: str, files: list[dict[str, str]], notebook: str
) -> tuple[float | str, str]:
    """Return a student's points, if they are known, and what came in; from the graded notebook."""
    own = [row for row in files if row["student_id"] == student]
    came = next((row["state"] for row in own if row["state"] in CAME), "")
    if not came:
        return "", "; ".join({row["note"]: 0 for row in own if row["note"]}) or "missing"
    if not notebook:
        return "", f"{came}, not graded"
    state = came + "".join(said for sign, said in SEEN.items() if sign in notebook)
    submission = book.find_submission(assignment, student)
    if submission.needs_manual_grade:
        return "", f"{state}, see it"
    return submission.score, state


def counted(notebooks: Iterable[str]) -> Iterator[list[Any]]:
    """Give for each exercise how many got what, and the sentence that was said most often."""
    results: dict[str, list[tuple[str, str]]] = {}
    for cell in (cell for text in notebooks for cell in json.loads(text)["cells"]):
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name.startswith("check_"):
            printed = "".join("".join(o.get("text", "")) for o in cell["outputs"]).split()
            kind = RESULTS.get("".join(printed[:1]), "error")
            results.setdefault(name[6:].replace("_", "."), []).append(
                (kind, " ".join(printed[2:]))
            )
    for name, found in results.items():
        kinds = Counter(kind for kind, _ in found)
        said = Counter(sentence for kind, sentence in found if kind == "wrong")
        yield [name, *(kinds[kind] for kind in KINDS), *(said.most_common(1) or [("", 0)])[0]]
