"""Make a deck of slides of each chapter, from the cells that are marked.

A cell is marked in its notebook by nbconvert's own `slideshow.slide_type: slide`, in JupyterLab
under *Property Inspector*. The deck shows of such a cell what has the form of a slide already: a
displayed formula, list or table, with the first sentence of its section if it opens that, a
statement, a bet, an exercise, visible code, or a figure under the point that its caption makes.
What is prose goes into the speaker's notes; proofs and folds stay on the page.
"""

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, NavigableString, Tag
from docutils import nodes
from sphinx.application import Sphinx

MARK = "on-slide"
PAGES = re.compile(r"book/(?:index|\d\d-[\w-]+)")
LINES_A_CELL = 10_000  # MyST-NB counts a notebook's lines so: cell 3 begins at 40 000
SENTENCE = re.compile(r"(?<=[.?!])\s")
SHORT = 30  # characters; what ends sooner is an abbreviation
LONG_ENTRY = 170  # characters; of a longer entry of a list the bold beginning is enough
FULL, BRIEF = 380, 220  # characters; who shows more has smaller letters, who shows less larger
FINDINGS = "In short"  # the title of a list of findings
SKIPPED = {"margin", "lede", "kicker", "buttons"}
WIDE_TABLE = "pst-scrollable-table-container"


@dataclass
class Slide:
    """One slide, in HTML."""

    title: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what the speaker may say
    kind: str = "text"
    section: str = ""  # what stands above the title
    place: str = ""  # the anchor on the chapter's page
    name: str = ""  # and what it is called there


def cell_of(node: nodes.Node) -> int:
    """Return the number of the cell that a node comes from."""
    first = next((part.line for part in node.findall() if getattr(part, "line", None)), 0)
    return int(first) // LINES_A_CELL - 1


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Mark what comes from marked cells with a class, by which it is found in the page's HTML."""
    page = app.env.docname
    path = Path(app.env.doc2path(page))
    if not PAGES.fullmatch(page) or path.suffix != ".ipynb":
        return
    cells = enumerate(nbformat.read(path, as_version=4).cells)
    marked = {i for i, c in cells if c.metadata.get("slideshow", {}).get("slide_type") == "slide"}
    for section in doctree.findall(nodes.section):
        for node in section.children:
            shown = isinstance(node, nodes.Element) and not isinstance(node, nodes.raw)
            if shown and cell_of(node) in marked:
                node["classes"].append(MARK)


def first_sentence(paragraph: Tag) -> str:
    """Return a paragraph's first sentence; a formula's signs end none."""
    found = BeautifulSoup("<p></p>", "html.parser").p
    for part in paragraph.contents:
        if isinstance(part, NavigableString):
            so_far = len(found.get_text())
            for end in SENTENCE.finditer(str(part)):
                if so_far + end.start() >= SHORT:
                    found.append(str(part)[: end.start()])
                    return str(found)
        found.append(copy(part))
    return str(found)


def titled(tag: Tag) -> str:
    """Return a heading's or a bold lead's HTML without its full stop."""
    tag = copy(tag)
    for extra in tag.select(".headerlink, .section-number, .effort"):
        extra.decompose()
    last = [text for text in tag.find_all(string=True) if text.strip()][-1]
    last.replace_with(last.rstrip().removesuffix("."))
    return str(tag.decode_contents()).strip()


def listed(tag: Tag) -> str:
    """Return a list; if an entry is long, those that begin in bold are cut there."""
    tag = copy(tag)
    entries = tag.find_all("li")
    columns = {"findings", "cards"} & set(tag.get("class", ()))
    if not columns and max(len(entry.get_text()) for entry in entries) > LONG_ENTRY:
        for entry in entries:
            lead = entry.find("strong")
            if lead and entry.get_text().strip().startswith(lead.get_text()):
                entry.clear()
                entry.append(lead)
    return str(tag)


def own_slide(part: Tag) -> Slide | None:
    """Return the slide that an element makes by itself, if any; its section may lend a title."""
    classes = set(part.get("class", ()))
    figure = part if part.name == "figure" else part.select_one("figure.numbered")
    if classes & {"proposition", "theorem", "predict"}:
        title = part.select_one(".admonition-title")
        return Slide(titled(title), list(map(str, title.find_next_siblings())), kind="statement")
    if "exercise" in classes:
        head = part.select_one(".exercise-head")
        name, _, title = titled(head.find("strong")).partition(": ")
        box = part.select_one(".exercise-box")
        stated = [e for e in head.find_next_siblings() if e is not box and box in e.next_elements]
        shown = [*map(str, stated), *map(str, part.select(".exercise-choices"))]
        return Slide(title, shown, kind="exercise", place=part["id"], name=name)
    if figure is not None:
        caption = copy(figure.select_one("figcaption p"))
        name, _, point = titled(caption.find("strong").extract()).partition(". ")
        shown, notes = [str(figure.find("img"))], [str(caption)]
        return Slide(point, shown, notes, "figure", place=figure["id"], name=name)
    if "cell" in classes:  # its visible code and output, or a table that it makes
        parts = part.select(":scope > .cell_input, :scope > .cell_output")
        kind = "code" if part.select_one(":scope > .cell_input") else "list"
        return Slide("", list(map(str, parts)), kind=kind)
    return None


def slides_of(article: Tag) -> list[Slide]:
    """Return the slides of one page; a heading alone makes none."""
    title, lede = article.find("h1"), article.select_one("p.lede")
    first = Slide(titled(title), [str(lede)] if lede else [], kind="title")
    return [first, *(slide for slide in _section(title.parent) if slide.shown)]


def is_marked(part: Tag) -> bool:
    """Say whether an element comes from a marked cell; a table has its mark inside its frame."""
    return MARK in part.get("class", ()) or part.select_one(f":scope > table.{MARK}") is not None


def _section(section: Tag) -> Iterator[Slide]:
    """Yield the slides of a section and of those below it."""
    title = titled(section.find(re.compile("^h[1-4]$"), recursive=False))
    lead: list[str] = []  # the first sentence, until something has been shown
    slide = Slide(title)
    for part in section.find_all(recursive=False):
        classes = part.get("class", ())
        if part.name == "section":
            yield slide
            slide, lead = Slide(title), []
            yield from _section(part)
        elif SKIPPED & set(classes) or not is_marked(part):
            continue
        elif part.name == "p":
            if slide.kind == "list" or not (slide.notes or slide.shown or lead):
                lead = [first_sentence(part)]  # after a list, of what follows it
            slide.notes.append(str(part))
        elif part.name in ("ul", "ol", "table") or {"math", WIDE_TABLE} & set(classes):
            html = listed(part) if part.name in ("ul", "ol") else str(part)
            if slide.shown and "math" not in classes and slide.kind == "list":
                yield slide
                slide = Slide(title)
            slide.kind = slide.kind if "math" in classes else "list"
            slide.shown += [html] if slide.shown else [*lead, html]
            lead = []
            if "findings" in part.get("class", ()):
                slide.title = FINDINGS
        elif made := own_slide(part):
            yield slide
            if not slide.shown:
                made.notes = [*slide.notes, *made.notes]
                made.shown = [*lead * (made.kind == "list"), *made.shown]
            made.title, made.section = made.title or title, title if made.title else ""
            yield made
            slide, lead = Slide(title), []
    yield slide


def plain(html: str) -> str:
    """Return a slide's HTML without links and ids, and with its pictures loaded at once."""
    tree = BeautifulSoup(html, "html.parser")
    for extra in tree.select("button, summary, .headerlink"):
        extra.decompose()
    for inner in tree.find_all("section"):  # to reveal.js, slides below one another
        inner.name = "div"
    for link in tree.find_all("a"):
        link.unwrap()
    for tag in tree.find_all(id=True):
        del tag["id"]
    for image in tree.find_all("img"):
        image.attrs.pop("loading", None)
    return str(tree)


def signs(slide: Slide) -> int:
    """Count the characters that a slide shows."""
    tree = BeautifulSoup("".join(slide.shown), "html.parser")
    for unseen in tree.select(".katex-mathml"):
        unseen.decompose()
    return len(tree.get_text())


def write_deck(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Write the deck of a page if it has marked cells."""
    body = context.get("body") or ""
    if MARK not in body or not PAGES.fullmatch(pagename):
        return
    article = BeautifulSoup(body, "html.parser")
    slides = slides_of(article)
    for slide in slides:
        slide.title, slide.section = plain(slide.title), plain(slide.section)
        slide.shown = [plain(part) for part in slide.shown]
        slide.notes = [plain(part) for part in slide.notes]
        count = signs(slide)
        slide.kind += " full" if count > FULL else " brief" if count < BRIEF else ""
    deck = f"slides/{pagename.removeprefix('book/')}.html"
    target = Path(app.outdir, deck)
    target.parent.mkdir(parents=True, exist_ok=True)
    kicker = article.select_one("p.kicker")
    settings = {
        "slides": slides,
        "page": f"../{pagename}.html",
        "title": slides[0].title,
        "place": kicker.get_text().split(" · ")[0] if kicker else app.config.html_title,
    }
    target.write_text(app.builder.templates.render("slides.html", settings), "utf-8")
    link = {"type": "link", "url": f"../{deck}", "text": "slides", "icon": "fas fa-file"}
    link |= {"tooltip": "Slides of this page", "label": "slides-button"}
    for group in context.get("header_buttons", ()):
        if group.get("label") == "download-buttons":
            group["buttons"].append(link)


def setup(app: Sphinx) -> None:
    """Mark when a page is read; write its deck when it is written, after it was mended."""
    app.connect("doctree-read", mark, priority=950)
    app.connect("html-page-context", write_deck, priority=700)
