"""Grade returned notebooks: `python -m tools.collect FOLDER [--run] [--out grades.csv]`.

Nothing in a notebook is run unless `--run` is given. Without it, answers that can be read are
graded: numbers, arithmetic, letters, lists. Functions and computed answers are listed as "not
run". With it, each of these runs in a process of its own, in an empty folder, without your
environment variables, with bounds on time and memory. That stops accidents, not attacks: such code
can still read your files, use the network, and forge a verdict. For people you do not trust, run
the command in a container or on a machine that holds nothing else.

A student is a folder in FOLDER, or a file's name without the chapter's. The CSV has one line for
each student and exercise. What was graded once is not graded again: stop at any moment and go on
with the same command.
"""

import argparse
import csv
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, fields
from pathlib import Path

from tools.grading import RESULTS, Row, grade
from tools.paths import chapters

CHAPTER = re.compile("|".join(re.escape(path.stem) for path in chapters()))


def student_of(path: Path, folder: Path) -> str:
    """Return whose notebook it is: the first folder's name, or what the file's name adds."""
    inside = path.relative_to(folder)
    if len(inside.parts) > 1:
        return inside.parts[0]
    return CHAPTER.sub("", path.stem).strip(" -_.()") or path.stem


def returned(folder: Path) -> list[Path]:
    """Return every notebook below a folder, without hidden folders and links."""
    return sorted(
        path
        for path in folder.rglob("*.ipynb")
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def best(rows: Iterable[Row]) -> list[Row]:
    """Keep one row for each student and exercise: the better one, if two files answer it."""
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = (row.student, row.exercise or row.file)
        if key not in kept or RESULTS.index(row.result) < RESULTS.index(kept[key].result):
            kept[key] = row
    return sorted(kept.values(), key=lambda row: (row.student, _number(row.exercise), row.file))


def _number(exercise: str) -> tuple[int, ...]:
    return tuple(int(part) for part in exercise.split(".") if part.isdigit())


def _cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_csv(rows: Iterable[Row], target: Path) -> None:
    """Write the table whole or not at all."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".grades-", suffix=".part")
    try:
        with os.fdopen(handle, "w", newline="", encoding="utf-8-sig") as stream:
            writer = csv.writer(stream)
            writer.writerow(field.name for field in fields(Row))
            writer.writerows([_cell(value) for value in astuple(row)] for row in rows)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def overview(rows: list[Row]) -> str:
    """Say for each exercise how many got which result, and which mistake is the commonest."""
    lines = [f"{'':10}" + "".join(f"{result:>9}" for result in RESULTS)]
    for exercise in sorted({row.exercise for row in rows if row.exercise}, key=_number):
        of_it = [row for row in rows if row.exercise == exercise]
        count = Counter(row.result for row in of_it)
        line = f"{exercise:10}" + "".join(f"{count[result]:9}" for result in RESULTS)
        mistakes = Counter(row.message for row in of_it if row.result == "wrong").most_common(1)
        if mistakes and mistakes[0][1] > 1:
            line += f"   {mistakes[0][1]} × {mistakes[0][0]}"
        lines.append(line)
    lines += [f"{row.file}: {row.message}" for row in rows if not row.exercise]
    return "\n".join(lines)


def _arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="the table (FOLDER/grades.csv)")
    parser.add_argument("--run", action="store_true", help="run functions and computed answers")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time")
    parser.add_argument("--seconds", type=int, default=20, help="for one answer that is run")
    parser.add_argument("--fresh", action="store_true", help="grade everything again")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    """Grade every notebook, write the table, print the overview."""
    asked = _arguments(given)
    if not asked.folder.is_dir():
        print(f"{asked.folder} is no folder.", file=sys.stderr)
        return 1
    folder = asked.folder.resolve()
    paths = returned(folder)

    def graded(path: Path) -> list[Row]:
        seconds = asked.seconds if asked.run else 0
        found = grade(path, seconds, fresh=asked.fresh)
        own = {"student": student_of(path, folder), "file": path.relative_to(folder).as_posix()}
        return [Row(**(asdict(row) | own)) for row in found]

    with ThreadPoolExecutor(max(1, asked.jobs)) as pool:
        rows = best(row for some in pool.map(graded, paths) for row in some)
    target = asked.out or folder / "grades.csv"
    write_csv(rows, target)
    students = len({row.student for row in rows})
    print(overview(rows))
    print(f"{len(paths)} notebooks of {students} students: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
