"""The teaching guide: course plans, objectives and misconceptions as links to the exercises.

What it shows stands in ``book/teaching.yml``; titles and the sentences on wrong answers come from
the exercises' own declarations. A name that is not there is a warning, so the build fails.
"""

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.exercises import Exercise, Wrong, get
from why_sqrt_d.exercises.answers import read_number

from .exercise_forms import asked_id
from .reading import Time, said
from .tables import parse_markdown, table, text_cells

logger = logging.getLogger(__name__)
SOURCE = Path("book", "teaching.yml")


def read_guide(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return plans, objectives and misconceptions."""
    return dict(yaml.safe_load((folder / SOURCE).read_text(encoding="utf-8")))


def find_wrong(found: Exercise, answer: Any) -> Wrong | None:
    """Return the declared wrong answer that is meant; None if there is none."""
    return next((wrong for wrong in found.wrong if _same(wrong.answer, answer)), None)


def _same(declared: Any, named: Any) -> bool:
    if callable(declared):
        return bool(declared.__name__ == named)
    if isinstance(declared, str | int | float):
        try:
            return str(declared) == str(named) or bool(
                np.isclose(read_number(declared), read_number(named), atol=0)
            )
        except ValueError:  # a letter
            return False
    if not isinstance(named, list):
        return False
    if isinstance(named[0], str):
        return list(declared) == named
    return np.shape(declared) == np.shape(named) and np.allclose(declared, named)


class Guide(SphinxDirective):
    """What the three directives share: the data, and links to chapters and exercises."""

    def guide(self) -> dict[str, list[dict[str, Any]]]:
        """Return the guide's data, noted as what the page depends on."""
        folder = Path(self.env.srcdir)
        self.env.note_dependency(str(folder / SOURCE))
        return read_guide(folder)

    def exercise(self, name: str) -> Exercise | None:
        """Return an exercise, or warn."""
        try:
            return get(name)
        except KeyError:
            logger.warning("no exercise %r", name, location=self.get_location())
            return None

    def links(self, names: list[str], titled: bool = False) -> nodes.paragraph:
        """Return links to exercises."""
        line = nodes.paragraph()
        for name in names:
            found = self.exercise(name)
            if found is not None:
                if line.children:
                    line += nodes.Text(", ")
                text = f"{found.id} {found.title}" if titled else found.id
                line += self._link(found, text)
        return line

    def _link(self, found: Exercise, text: str) -> nodes.reference:
        pages = sorted(Path(self.env.srcdir, "book").glob(f"{int(found.chapter):02d}-*.ipynb"))
        uri = self.env.app.builder.get_relative_uri(self.env.docname, f"book/{pages[0].stem}")
        return nodes.reference("", text, internal=True, refuri=f"{uri}#{asked_id(found.id)}")

    def table(
        self, heads: tuple[str, ...], widths: tuple[int, ...], rows: list[Any]
    ) -> nodes.table:
        """Return a table that stacks on a narrow screen; a row is a list of lists of nodes."""
        body = [nodes.row("", *[nodes.entry("", *cell) for cell in row]) for row in rows]
        return table("stacked-table", text_cells(heads), body, widths)


class Plan(Guide):
    """A plan's rows: minutes, the section to show, what to do there, the exercises."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table and the line on homework."""
        plans = {plan["name"]: plan for plan in self.guide()["plans"]}
        plan = plans.get(self.arguments[0])
        if plan is None:
            logger.warning("no plan %r", self.arguments[0], location=self.get_location())
            return []
        heads = ("Minutes", "Section", "Show", "Exercises")
        rows = [self._row(row) for row in plan["rows"]]
        made: list[nodes.Node] = [self.table(heads, (10, 27, 36, 27), rows)]
        if "questions" in plan:
            free = f"{plan['questions']} of the {plan['minutes']} minutes are left for questions."
            made.append(nodes.paragraph("", free))
        if plan["home"]:
            home = nodes.paragraph("", "", nodes.strong("", "To take home: "))
            minutes = sum(get(name).minutes for name in plan["home"])
            home += [*self.links(plan["home"]).children, nodes.Text(f"; {said(minutes)} in all.")]
            made.append(home)
        return made

    def _row(self, row: dict[str, Any]) -> list[list[nodes.Node]]:
        minutes = nodes.paragraph("", f"{row['minutes']} min" if "minutes" in row else "")
        if "minutes" not in row:  # a chapter's own, exercises included
            minutes += Time(pages=[row["at"].removeprefix("ch").partition("-")[0], "exercises"])
        section = parse_markdown(self, f"{{ref}}`{row['at']}`")
        return [
            [minutes],
            section,
            parse_markdown(self, row["show"]),
            [self.links(row["exercises"], True)],
        ]


class Objectives(Guide):
    """Every objective with the exercises that show whether it is reached."""

    def run(self) -> list[nodes.Node]:
        """Return one table."""
        rows = [
            [
                [nodes.paragraph("", f"Chapter {row['chapter']}")],
                parse_markdown(self, row["text"][0].upper() + row["text"][1:] + "."),
                [self.links(row["exercises"], titled=True)],
            ]
            for row in self.guide()["objectives"]
        ]
        return [self.table(("Chapter", "Objective", "Exercises"), (14, 46, 40), rows)]


class Misconceptions(Guide):
    """What students think, where it shows, and what the check then says."""

    def run(self) -> list[nodes.Node]:
        """Return a definition list."""
        listed = nodes.definition_list(classes=["misconceptions"])
        for row in self.guide()["misconceptions"]:
            found = self.exercise(row["exercise"])
            wrong = found and find_wrong(found, row["answer"])
            if not found or not wrong:
                logger.warning("no wrong answer %r", row, location=self.get_location())
                continue
            body = self.links([found.id], titled=True)
            body.insert(0, nodes.Text("Exercise "))
            body += [nodes.Text(" shows it, and the check says: "), nodes.Text(f"“{wrong.say}”")]
            term = nodes.term("", row["thinks"])
            listed += nodes.definition_list_item("", term, nodes.definition("", body))
        return [listed]


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("course-plan", Plan)
    app.add_directive("objectives", Objectives)
    app.add_directive("misconceptions", Misconceptions)
