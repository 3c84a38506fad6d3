"""How long a page takes to read, computed from the page.

The rule: 150 words a minute of main text (headings, captions, notes and tables too; a formula in a
line has as many words as symbols), 20 seconds for a line of a displayed formula and for a bet, 30
for a figure and twice that for a live one, 5 for a visible line of code, 20 at least for a cell,
and 3 for a line that it prints. What is folded away is left out.
An exercise takes the minutes that it declares, beside the reading. A chapter says so above its
title; the role ``time`` says it of a path, and `reading-times` makes a table of paths.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from why_sqrt_d.exercises import get

from .page_figures import Drawing
from .paragraphs import Box
from .tables import table

WORD_SECONDS = 60 / 150
WORD = re.compile(r"[^\W_][\w'’.-]*")
SYMBOL = re.compile(r"\\(?:text|mathrm)\{\w+|\\[A-Za-z]+|[A-Za-z]|[\d.]+|[-+=<>/!]")
ASKED = re.compile(r'class="exercise-\w+" data-exercise="([\w.]+)"')
CHAPTER = re.compile(r"book/0?(\d[a-z]?)-")
HIDDEN = {"exercise", "tag_hide-cell", "tag_remove-cell", "filtered"}
HIDDEN_INPUT = {"tag_hide-input", "tag_remove-input"}


class Reading(NamedTuple):
    """The minutes that a page takes to read, and the exercises that are asked on it."""

    minutes: int  #: for the text
    exercises: tuple[str, ...] = ()  #: the names of those that are asked on it
    lookup: bool = False  #: whether it is about a table to look things up in: no reading time

    @property
    def practice(self) -> int:
        """Return how many minutes the exercises take."""
        return sum(get(name).minutes for name in self.exercises)


def chapter_of(page: str) -> str:
    """Return a chapter's number, with a letter if the page is a deeper one; "" for other pages."""
    match = CHAPTER.match(page)
    return match[1] if match else ""


def measure(doctree: nodes.Element) -> Reading:
    """Read a page as a reader does who opens no fold."""
    raw = (node.astext() for node in doctree.findall(nodes.raw))
    asked = dict.fromkeys(name for text in raw for name in ASKED.findall(text))
    lookup = any("filtered" in node["classes"] for node in doctree.findall(nodes.Element))
    return Reading(max(1, round(sum(seconds(doctree)) / 60)), tuple(asked), lookup)


def seconds(parent: nodes.Element) -> Iterator[float]:
    """Yield how long each part of an element takes."""
    folds = 0
    figure = isinstance(parent, Box) and parent["tag"] == "figure"
    if figure:
        yield 60 if any(drawn["about"].get("live") for drawn in parent.findall(Drawing)) else 30
    elif "predict" in parent["classes"]:
        yield 20
    for node in parent.children:
        if isinstance(node, nodes.raw):
            folds += len(re.findall(r"<details\b", node.astext()))
            folds -= node.astext().count("</details>")
        elif folds or isinstance(node, nodes.comment):
            continue
        elif figure and node.get("nb_element") == "mime_bundle":
            continue  # a drawing, which has its description as text beside it
        elif isinstance(node, nodes.Text):
            yield WORD_SECONDS * len(WORD.findall(node))
        elif isinstance(node, nodes.math):
            yield WORD_SECONDS * len(SYMBOL.findall(node.astext()))
        elif isinstance(node, nodes.math_block):
            yield 20 * (1 + node.astext().count("\\\\"))
        elif isinstance(node, nodes.literal_block):
            lines = len(node.astext().splitlines())
            printed = parent.get("mime_type") or parent.get("nb_element") == "cell_code_output"
            yield 3 * lines if printed else max(20, 5 * lines)
        elif not (HIDDEN & set(node["classes"]) or _is_folded_code(node)):
            yield from seconds(node)


def _is_folded_code(node: nodes.Element) -> bool:
    folded = HIDDEN_INPUT & set(node.parent["classes"])
    return bool(folded) and node.get("nb_element") == "cell_code_source"


def note_reading(app: Sphinx, doctree: nodes.document) -> None:
    """Measure a page that was read."""
    app.env.metadata[app.env.docname]["reading"] = measure(doctree)


def in_words(minutes: float) -> str:
    """Return a time as one says it: exact when short, rounded when long.

    >>> in_words(9), in_words(52), in_words(430)
    ('9 min', '50 min', '7 hours')
    """
    if minutes < 20:
        return f"{minutes:.0f} min"
    if minutes < 100:
        return f"{5 * round(minutes / 5)} min"
    halves = round(minutes / 30)
    return f"{halves // 2}{' ½' if halves % 2 else ''} hours"


def line_above(chapter: str, reading: Reading) -> str:
    """Return what stands above a chapter's title."""
    parts = [f"Chapter {chapter[0]}" + (", a deeper page" if chapter[1:] else "")]
    if not reading.lookup:
        parts.append(f"{reading.minutes} min to read")
    if count := len(reading.exercises):
        parts.append(f"{count} exercise{'s' if count > 1 else ''}, {reading.practice} min")
    return " · ".join(parts)


class Time(nodes.Element):
    """Where a time goes that is known when all pages are read; `pages` are a path's words."""


def place_time(
    name: str, raw: str, text: str, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list]:
    """Take the words of a path: `index`, chapters such as `1`, `exercises` if those are done."""
    return [Time(pages=text.split())], []


class ReadingTimes(SphinxDirective):
    """A table of paths with their times; a line is `name | what is read | words of the path`."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table; its times are filled in later."""
        rows = []
        for line in filter(str.strip, self.content):
            name, text, path = (part.strip() for part in line.split("|"))
            rows.append(("", (name, text, f"{{time}}`{path}`")))
        return [table(self, "reading-times", {"Path": 22, "What you read": 60, "Time": 18}, rows)]


def time_of(env: BuildEnvironment, words: list[str]) -> int:
    """Return how many minutes a path takes."""
    names = {chapter_of(page) or page.removeprefix("book/"): page for page in env.found_docs}
    found = [env.metadata[names[word]]["reading"] for word in words if word != "exercises"]
    practice = sum(page.practice for page in found) if "exercises" in words else 0
    return sum(page.minutes for page in found) + practice


def write_times(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the line above a chapter's title, and the times of paths in their places."""
    if chapter := chapter_of(docname):
        title = next(iter(doctree.findall(nodes.title)))
        text = line_above(chapter, app.env.metadata[docname]["reading"])
        line = nodes.paragraph("", text, classes=["kicker"])
        title.parent.insert(title.parent.index(title), line)
    for place in list(doctree.findall(Time)):
        place.replace_self(nodes.Text(in_words(time_of(app.env, place["pages"]))))


def rewrite(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have the pages written again that show other pages' times, or which pages cite what."""
    return sorted({"book/index", "book/teaching", "book/bibliography"} & env.found_docs)


def setup(app: Sphinx) -> None:
    """Measure when a page is read and has its exercises; write when all are read."""
    app.add_node(Time)
    app.add_role("time", place_time)
    app.add_directive("reading-times", ReadingTimes)
    app.connect("doctree-read", note_reading, priority=800)
    app.connect("env-updated", rewrite)
    app.connect("doctree-resolved", write_times)
