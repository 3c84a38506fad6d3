"""How long a page takes to read, computed from the page.

The rule: 180 words a minute of main text (headings, captions, notes and tables too; a formula in a
line is a word), 10 seconds for a displayed formula, 15 for a figure, 4 for a visible line of code.
What is folded away is not counted. An exercise takes the minutes that it declares, beside the
reading. A chapter says so above its title; `reading-times` makes tables of them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.exercises import get

from .captions import Figure
from .tables import cell, parse_markdown, table, text_cells

WORDS_A_MINUTE = 180
SECONDS = {"word": 60 / WORDS_A_MINUTE, "formula": 10, "figure": 15, "line of code": 4}
WORD = re.compile(r"[^\W_][\w'’.-]*")
ASKED = re.compile(r'class="exercise-\w+" data-exercise="([\w.]+)"')
CHAPTER = re.compile(r"book/(\d+)([a-z]?)-")


@dataclass(frozen=True)
class Reading:
    """What one page asks of its reader.

    Attributes
    ----------
    seconds : float
        For the text.
    exercises : tuple of str
        The names of the exercises that are asked on it.
    lookup : bool
        Whether it is about a table to look things up in, which has no reading time.
    """

    seconds: float = 0.0
    exercises: tuple[str, ...] = ()
    lookup: bool = False

    @property
    def minutes(self) -> int:
        """Return how long the text takes."""
        return max(1, round(self.seconds / 60))

    @property
    def practice(self) -> int:
        """Return how many minutes the exercises take."""
        return sum(get(name).minutes for name in self.exercises)


def measure(doctree: nodes.Element) -> Reading:
    """Read a page as a reader does who opens no fold."""
    counted = list(_counted(doctree))
    seconds = sum(SECONDS[kind] * amount for kind, amount in counted)
    raw = (node.astext() for node in doctree.findall(nodes.raw))
    asked = dict.fromkeys(name for text in raw for name in ASKED.findall(text))
    lookup = any("filtered" in node["classes"] for node in doctree.findall(nodes.Element))
    return Reading(seconds, tuple(asked), lookup)


def _counted(parent: nodes.Element) -> Iterator[tuple[str, int]]:
    """Yield what is to be read below an element, with its amount."""
    folds = 0
    for node in parent.children:
        if isinstance(node, nodes.raw):
            folds += len(re.findall(r"<details\b", node.astext()))
            folds -= node.astext().count("</details>")
        elif not folds:
            yield from _one(node)


def _one(node: nodes.Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, nodes.Text):
        yield "word", len(WORD.findall(node))
    elif isinstance(node, nodes.math):
        yield "word", 1
    elif isinstance(node, nodes.math_block):
        yield "formula", 1
    elif isinstance(node, nodes.image):
        yield "figure", 1
    elif isinstance(node, nodes.literal_block):
        yield "line of code", len(node.astext().splitlines())
    elif isinstance(node, nodes.comment) or not isinstance(node, nodes.Element):
        return
    elif "filtered" in node["classes"]:
        return  # a table to look things up in
    elif node.get("nb_element") == "cell_code":
        yield from _cell(node)
    else:
        if isinstance(node, Figure) and not any(node.findall(nodes.image)):
            yield "figure", 1  # a live one
        yield from _counted(node)


def _cell(node: nodes.Element) -> Iterator[tuple[str, int]]:
    """Yield what a reader sees of a cell: visible code, and outputs that are no printed text."""
    classes = set(node["classes"])
    if classes & {"exercise", "tag_hide-cell", "tag_remove-cell"}:
        return
    for part in node.children:
        if part.get("nb_element") == "cell_code_source":
            if not classes & {"tag_hide-input", "tag_remove-input"}:
                yield from _counted(part)
        else:
            yield from (found for found in _counted(part) if found[0] != "line of code")


def readings(env: BuildEnvironment) -> dict[str, Reading]:
    """Return the pages' reading times by their names."""
    if not hasattr(env, "course_readings"):
        env.course_readings = {}
    return env.course_readings


def note_reading(app: Sphinx, doctree: nodes.document) -> None:
    """Measure a page that was read."""
    readings(app.env)[app.env.docname] = measure(doctree)


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


def head_chapters(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the line above a chapter's title."""
    found = readings(app.env).get(docname)
    text = found and line_above(docname, found)
    title = next(iter(doctree.findall(nodes.title)), None)
    if text and title is not None:
        line = nodes.paragraph("", text, classes=["kicker"])
        title.parent.insert(title.parent.index(title), line)


class Time(nodes.Element):
    """Where a time goes that is known when all pages are read."""


class ReadingTimes(SphinxDirective):
    """A table of paths through the course, or of its chapters, with their times.

    A line of the content is a path: `name | what is read, in Markdown | pages`, where the pages
    are `index`, chapters such as `1` or `1-3`, and `exercises` if those are done. Without content
    every chapter has a row.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table; its times are filled in later."""
        self.env.metadata[self.env.docname]["reading_times"] = True
        lines = [line for line in self.content if line.strip()]
        if not lines:
            head = text_cells(("Chapter", "To read", "Exercises"))
            return [table("reading-times stacked-table", head, [Time()], (60, 20, 20), stub=True)]
        rows = []
        for line in lines:
            name, text, pages = (part.strip() for part in line.split("|"))
            entry = nodes.entry("", *parse_markdown(self, text))
            time = nodes.entry("", nodes.paragraph("", "", Time(pages=pages.split())))
            rows.append(nodes.row("", cell(nodes.Text(name)), entry, time))
        head = text_cells(("Path", "What you read", "Time"))
        return [table("reading-times stacked-table", head, rows, (22, 60, 18), stub=True)]


def chapters_of(pages: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the pages that a path's words name; deeper pages are extra.

    >>> chapters_of(["index", "1-2"], ["book/index", "book/01-a", "book/1a-b", "book/02-c"])
    ['book/index', 'book/01-a', 'book/02-c']
    """
    whole = {int(m[1]): page for page in known if (m := CHAPTER.match(page)) and not m[2]}
    found = []
    for word in pages:
        if word.replace("-", "").isdigit():
            first, _, last = word.partition("-")
            found += [whole[number] for number in range(int(first), int(last or first) + 1)]
        elif word != "exercises":
            found.append(f"book/{word}")
    return found


def fill_places(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the times."""
    known = readings(app.env)
    for place in list(doctree.findall(Time)):
        if isinstance(place.parent, nodes.tbody):
            place.replace_self([_row(app, page) for page in chapters_of(["1-7"], known)])
            continue
        pages = [known[page] for page in chapters_of(place["pages"], known)]
        minutes = sum(page.minutes for page in pages)
        if "exercises" in place["pages"]:
            minutes += sum(page.practice for page in pages)
        place.replace_self(nodes.Text(said(minutes)))


def _row(app: Sphinx, page: str) -> nodes.row:
    found = readings(app.env)[page]
    link = nodes.reference("", app.env.titles[page].astext(), internal=True)
    link["refuri"] = app.builder.get_relative_uri("book/index", page)
    number = f"{int(CHAPTER.match(page)[1])} "
    texts = [f"{found.minutes} min", f"{len(found.exercises)}, {found.practice} min"]
    return nodes.row("", cell(nodes.Text(number), link), *text_cells(texts))


def rewrite(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have the pages written again that show other pages' times."""
    return [page for page in env.found_docs if env.metadata[page].get("reading_times")]


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop what is known of a page that is read anew."""
    readings(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, names: set[str], other: BuildEnvironment) -> None:
    """Take what another process has measured."""
    readings(env).update(readings(other))


def setup(app: Sphinx) -> None:
    """Measure when a page is read and has its exercises; write when all are read."""
    app.add_node(Time)
    app.add_directive("reading-times", ReadingTimes)
    app.connect("doctree-read", note_reading, priority=800)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", rewrite)
    app.connect("doctree-resolved", head_chapters)
    app.connect("doctree-resolved", fill_places)
