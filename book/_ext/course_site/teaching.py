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
from .reading import in_words
from .tables import parse_markdown, table

SOURCE = Path("book", "teaching.yml")


def read_guide(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return plans, objectives and misconceptions."""
    return dict(yaml.safe_load((folder / SOURCE).read_text(encoding="utf-8")))


def find_wrong(exercise: Exercise, answer: str) -> Wrong:
    """Return the declared wrong answer that is meant."""
    for wrong in exercise.wrong:
        if wrong.name == answer:
            return wrong
    raise LookupError(f"exercise {exercise.id} has no wrong answer {answer!r}")


def links(names: list[str], titled: bool = True) -> str:
    """Return links to exercises, in Markdown."""
    pages = asked_on(Path("book"))
    return ", ".join(
        f"[{found.id}{f' {found.title}' * titled}]({pages[found.id]}.ipynb#{asked_id(found.id)})"
        for found in map(get, names)
    )


class Guide(SphinxDirective):
    """A part of the guide; the page follows when the guide's data change."""

    def run(self) -> list[nodes.Node]:
        """Return the part."""
        folder = Path(self.env.srcdir)
        self.env.note_dependency(str(folder / SOURCE))
        return self.part(read_guide(folder))


class Plan(Guide):
    """A plan's rows: minutes, the section to show, what to do there, the exercises."""

    required_arguments = 1

    def part(self, guide: dict[str, Any]) -> list[nodes.Node]:
        """Return the table, and the lines on questions and homework."""
        plan = {plan["name"]: plan for plan in guide["plans"]}[self.arguments[0]]
        rows = []
        for row in plan["rows"]:
            chapter = row["at"].removeprefix("ch").partition("-")[0]
            own = f"{{time}}`{chapter} exercises`"
            minutes = f"{row['minutes']} min" if "minutes" in row else own
            section = f"{{ref}}`{row['at']}`"
            rows.append(("", (minutes, section, row["show"], links(row["exercises"]))))
        text = ""
        if "questions" in plan:
            text = f"{plan['questions']} of the {plan['minutes']} minutes are left for questions."
        if plan["home"]:
            minutes = in_words(sum(get(name).minutes for name in plan["home"]))
            text += f"\n\n**To take home:** {links(plan['home'], titled=False)}; {minutes} in all."
        widths = {"Minutes": 10, "Section": 27, "Show": 36, "Exercises": 27}
        return [table(self, "", widths, rows), *parse_markdown(self, text)]


class Objectives(Guide):
    """Every objective with the exercises that show whether it is reached."""

    def part(self, guide: dict[str, Any]) -> list[nodes.Node]:
        """Return one table."""
        rows = []
        for row in guide["objectives"]:
            text = f"{row['text'][0].upper()}{row['text'][1:]}."
            rows.append(("", (f"Chapter {row['chapter']}", text, links(row["exercises"]))))
        return [table(self, "", {"Chapter": 14, "Objective": 46, "Exercises": 40}, rows)]


class Misconceptions(Guide):
    """A list: what students believe, the exercise that shows it, the sentence of its check."""

    def part(self, guide: dict[str, Any]) -> list[nodes.Node]:
        """Return a definition list."""
        text = ""
        for row in guide["misconceptions"]:
            say = find_wrong(get(row["exercise"]), row["answer"]).say
            shown = f"Exercise {links([row['exercise']])} shows it, and the check says: “{say}”"
            text += f"{row['thinks']}\n: {shown}\n\n"
        return parse_markdown(self, text)


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("course-plan", Plan)
    app.add_directive("objectives", Objectives)
    app.add_directive("misconceptions", Misconceptions)
