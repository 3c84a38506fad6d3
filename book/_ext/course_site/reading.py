"""How long a page takes to read, computed from the page.

The rule: 180 words a minute of main text (headings, captions, notes and tables too; a formula in a
line is a word), 10 seconds for a displayed formula, 15 for a figure, 4 for a visible line of code.
What is folded away is not counted. An exercise takes the minutes that it declares, beside the
reading. A chapter says so above its title; `reading-times` makes a table of paths.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.exercises import get

from .captions import Figure
from .tables import cell, parse_markdown, table, text_cells

WORD_SECONDS = 60 / 180
WORD = re.compile(r"[^\W_][\w'’.-]*")
ASKED = re.compile(r'class="exercise-\w+" data-exercise="([\w.]+)"')
CHAPTER = re.compile(r"book/(\d+)([a-z]?)-")
HIDDEN = {"exercise", "tag_hide-cell", "tag_remove-cell"}
HIDDEN_INPUT = {"tag_hide-input", "tag_remove-input"}


class Reading(NamedTuple):
    """What one page asks of its reader."""

    minutes: int  #: for the text
    exercises: tuple[str, ...] = ()  #: the names of those that are asked on it
    lookup: bool = False  #: whether it is about a table to look things up in: no reading time

    @property
    def practice(self) -> int:
        """Return how many minutes the exercises take."""
        return sum(get(name).minutes for name in self.exercises)


def measure(doctree: nodes.Element) -> Reading:
    """Read a page as a reader does who opens no fold."""
    raw = (node.astext() for node in doctree.findall(nodes.raw))
    asked = dict.fromkeys(name for text in raw for name in ASKED.findall(text))
    lookup = any("filtered" in node["classes"] for node in doctree.findall(nodes.Element))
    return Reading(max(1, round(sum(seconds(doctree)) / 60)), tuple(asked), lookup)


def seconds(parent: nodes.Element) -> Iterator[float]:
    """Yield how long each part below an element takes."""
    folds = 0
    for node in parent.children:
        if isinstance(node, nodes.raw):
            folds += len(re.findall(r"<details\b", node.astext()))
            folds -= node.astext().count("</details>")
        elif not folds:
            yield from _one(node)


def _one(node: nodes.Node) -> Iterator[float]:
    if isinstance(node, nodes.Text):
        yield WORD_SECONDS * len(WORD.findall(node))
    elif isinstance(node, nodes.math):
        yield WORD_SECONDS
    elif isinstance(node, nodes.math_block):
        yield 10
    elif isinstance(node, nodes.literal_block):
        yield 4 * len(node.astext().splitlines())
    elif isinstance(node, nodes.Element) and not isinstance(node, nodes.comment):
        classes = set(node["classes"])
        if isinstance(node, Figure):
            yield 15
        kind = node.get("nb_element")
        if kind == "cell_code_source" and set(node.parent["classes"]) & HIDDEN_INPUT:
            return
        if kind == "cell_code_output":  # what code prints is looked at with its code
            yield from (s for part in node if not isinstance(part, nodes.literal_block)
                        for s in _one(part))  # fmt: skip
        elif not classes & HIDDEN and "filtered" not in classes:
            yield from seconds(node)


def reading_of(env: BuildEnvironment, page: str) -> Reading | None:
    """Return what was measured on a page, if it was read."""
    return env.metadata[page].get("reading")


def note_reading(app: Sphinx, doctree: nodes.document) -> None:
    """Measure a page that was read."""
    app.env.metadata[app.env.docname]["reading"] = measure(doctree)


def said(minutes: float) -> str:
    """Return a time as one says it: exact when short, rounded when long.

    >>> said(9), said(52), said(430)
    ('9 min', '50 min', '7 hours')
    """
    if minutes < 20:
        return f"{minutes:.0f} min"
    if minutes < 100:
        return f"{5 * round(minutes / 5)} min"
    halves = round(minutes / 30)
    return f"{halves // 2}{' ½' if halves % 2 else ''} hours"


def line_above(page: str, found: Reading) -> str:
    """Return what stands above a chapter's title."""
    chapter = CHAPTER.match(page)
    if not chapter:
        return ""
    parts = [f"Chapter {int(chapter[1])}" + (", a deeper page" if chapter[2] else "")]
    if not found.lookup:
        parts.append(f"{found.minutes} min to read")
    if count := len(found.exercises):
        parts.append(f"{count} exercise{'s' if count > 1 else ''}, {found.practice} min")
    return " · ".join(parts)


class Time(nodes.Element):
    """Where a time goes that is known when all pages are read; `pages` are a path's words."""


class ReadingTimes(SphinxDirective):
    """A table of paths through the course with their times.

    A line of the content is a path: `name | what is read, in Markdown | pages`, where the pages
    are `index`, chapters such as `1` or `1-3`, and `exercises` if those are done.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table; its times are filled in later."""
        rows = []
        for line in filter(str.strip, self.content):
            name, text, pages = (part.strip() for part in line.split("|"))
            entry = nodes.entry("", *parse_markdown(self, text))
            time = nodes.entry("", nodes.paragraph("", "", Time(pages=pages.split())))
            rows.append(nodes.row("", cell(nodes.Text(name)), entry, time))
        head = text_cells(("Path", "What you read", "Time"))
        return [table("reading-times stacked-table", head, rows, (22, 60, 18), stub=True)]


def chapters_of(words: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the pages that a path's words name; deeper pages are extra.

    >>> chapters_of(["index", "1-2"], ["book/index", "book/01-a", "book/1a-b", "book/02-c"])
    ['book/index', 'book/01-a', 'book/02-c']
    """
    whole = {int(m[1]): page for page in known if (m := CHAPTER.match(page)) and not m[2]}
    found = []
    for word in words:
        if word.replace("-", "").isdigit():
            first, _, last = word.partition("-")
            found += [whole[number] for number in range(int(first), int(last or first) + 1)]
        elif word != "exercises":
            found.append(f"book/{word}")
    return found


def write_times(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the line above a chapter's title, and the times of paths in their places."""
    found, title = reading_of(app.env, docname), next(iter(doctree.findall(nodes.title)), None)
    if found and title is not None and (text := line_above(docname, found)):
        line = nodes.paragraph("", text, classes=["kicker"])
        title.parent.insert(title.parent.index(title), line)
    for place in list(doctree.findall(Time)):
        pages = [
            reading_of(app.env, page) for page in chapters_of(place["pages"], app.env.found_docs)
        ]
        practice = sum(page.practice for page in pages) * ("exercises" in place["pages"])
        place.replace_self(nodes.Text(said(sum(page.minutes for page in pages) + practice)))


def rewrite(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have the two pages written again that show other pages' times."""
    return sorted({"book/index", "book/teaching"} & env.found_docs)


def setup(app: Sphinx) -> None:
    """Measure when a page is read and has its exercises; write when all are read."""
    app.add_node(Time)
    app.add_directive("reading-times", ReadingTimes)
    app.connect("doctree-read", note_reading, priority=800)
    app.connect("env-updated", rewrite)
    app.connect("doctree-resolved", write_times)
