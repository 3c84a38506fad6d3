"""The teaching guide: course plans, objectives and misconceptions as links to the exercises.

What it shows stands in ``book/teaching.yml``; titles and the sentences on wrong answers come from
the exercises' own declarations. A name that is not there stops the build.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.exercises import Exercise, Wrong, get
from why_sqrt_d.exercises.registry import asked_on

from .exercise_forms import asked_id
from .reading import Time, said
from .tables import parse_markdown, table, text_cells

SOURCE = Path("book", "teaching.yml")


def read_guide(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return plans, objectives and misconceptions."""
    return dict(yaml.safe_load((folder / SOURCE).read_text(encoding="utf-8")))


def find_wrong(found: Exercise, answer: str) -> Wrong:
    """Return the declared wrong answer that is meant."""
    for wrong in found.wrong:
        if wrong.name == answer:
            return wrong
    raise LookupError(f"exercise {found.id} has no wrong answer {answer!r}")


class Guide(SphinxDirective):
    """What the three directives share: the data, and links to chapters and exercises."""

    def guide(self) -> dict[str, list[dict[str, Any]]]:
        """Return the guide's data, noted as what the page depends on."""
        folder = Path(self.env.srcdir)
        self.env.note_dependency(str(folder / SOURCE))
        return read_guide(folder)

    def links(self, names: list[str], titled: bool = False) -> nodes.paragraph:
        """Return links to exercises."""
        line = nodes.paragraph()
        for found in map(get, names):
            if line.children:
                line += nodes.Text(", ")
            line += self._link(found, f"{found.id} {found.title}" if titled else found.id)
        return line

    def _link(self, found: Exercise, text: str) -> nodes.reference:
        page = asked_on(Path(self.env.srcdir, "book"))[found.id]
        uri = self.env.app.builder.get_relative_uri(self.env.docname, f"book/{page}")
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
        plan = {plan["name"]: plan for plan in self.guide()["plans"]}[self.arguments[0]]
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
            wrong = find_wrong(get(row["exercise"]), row["answer"])
            body = self.links([row["exercise"]], titled=True)
            body.insert(0, nodes.Text("Exercise "))
            body += nodes.Text(f" shows it, and the check says: “{wrong.say}”")
            term = nodes.term("", row["thinks"])
            listed += nodes.definition_list_item("", term, nodes.definition("", body))
        return [listed]


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("course-plan", Plan)
    app.add_directive("objectives", Objectives)
    app.add_directive("misconceptions", Misconceptions)
