"""Make a deck of slides of each chapter, from the cells that are marked.

A cell is marked in its notebook by nbconvert's own `slideshow.slide_type: slide`, in JupyterLab
under *Property Inspector*. The deck shows of such a cell what has the form of a slide already: a
displayed formula, list or table, with the first sentence of its section if it opens that, a
statement, a bet, an exercise, visible code, or a figure under the point that its caption makes.
What is prose goes into the speaker's notes; proofs and folds stay on the page.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx

MARK = "on-slide"
PAGES = re.compile(r"book/(?:index|\d\d-[\w-]+)")
LINES_A_CELL = 10_000  # MyST-NB counts a notebook's lines so: cell 3 begins at 40 000
SHOWN = f".{MARK}:not(section, .margin, .lede, .kicker, .buttons)"
HEADING = re.compile("^h[1-4]$")
SENTENCE = re.compile(r".*?[.?!](?=\s+[A-Z<]|\s*</p>)|.*", re.S)
TEXT = ("text", "list")  # kinds of which one slide may show several
LONG_ENTRY = 170  # characters; of a longer entry of a list the bold beginning is enough
FULL, BRIEF = 380, 220  # characters; who shows more has smaller letters, who shows less larger


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


def clean(article: Tag) -> None:
    """Take off what only a page has use for: folds, links, most ids; load pictures at once."""
    for extra in article.select(
        "button, summary, section > details, .headerlink, .section-number, .effort"
    ):
        extra.decompose()
    for link in article.select("a"):
        link.unwrap()
    for tag in article.select("[id]:not(figure, .exercise)"):
        del tag["id"]
    for image in article.select("img[loading]"):
        del image["loading"]


def titled(tag: Tag) -> str:
    """Return a heading's or a bold lead's HTML without its full stop."""
    return re.sub(r"\.(\s*(</\w+>)*)$", r"\1", tag.decode_contents().strip())


def first_sentence(paragraph: Tag) -> str:
    """Return a paragraph's first sentence, which ends before a capital letter or a formula."""
    return str(BeautifulSoup(SENTENCE.match(str(paragraph))[0], "html.parser"))


def listed(tag: Tag) -> Tag:
    """Return a list; if an entry is long, those that begin in bold are cut there."""
    entries = tag.find_all("li")
    columns = {"findings", "cards"} & set(tag["class"])
    if not columns and max(len(entry.get_text()) for entry in entries) > LONG_ENTRY:
        for entry in entries:
            lead = entry.find("strong")
            if lead and entry.get_text().strip().startswith(lead.get_text()):
                entry.clear()
                entry.append(lead)
    return tag


def slide_of(part: Tag) -> Slide | None:
    """Return the slide that an element makes by itself, if any; its section may lend a title."""
    classes = set(part["class"])
    figure = part if part.name == "figure" else part.select_one("figure.numbered")
    if "math" in classes or part.name == "table":
        return Slide("", [str(part)], kind="text" if "math" in classes else "list")
    if part.name in ("ul", "ol"):
        title = "In short" if "findings" in classes else ""
        return Slide(title, [str(listed(part))], kind="list")
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
        caption = figure.select_one("figcaption p")
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
    lede = article.select("p.lede")
    slides = [Slide(titled(article.find("h1")), list(map(str, lede)), kind="title")]
    section, last, notes, lead = "", None, [], []
    for part in article.select(SHOWN):
        heading = titled(part.find_parent("section").find(HEADING, recursive=False))
        if heading != section:
            section, last, notes, lead = heading, None, [], []
        if part.name == "p":
            if not (notes or last) or (last and last.kind == "list"):
                lead = [first_sentence(part)]
            (last.notes if last else notes).append(str(part))
        elif made := slide_of(part):
            text = made.kind in TEXT
            if last and text and not last.kind == made.kind == "list":
                last.shown += made.shown
                last.kind = made.kind if made.kind == "list" else last.kind
            else:
                made.shown = [*lead * text, *made.shown]
                made.notes = [*notes, *made.notes]
                made.title, made.section = made.title or section, section if made.title else ""
                slides.append(made)
                last, notes = made if text else None, []
            lead = []
    return slides


def write_deck(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Write the deck of a page if it has marked cells."""
    body = context.get("body") or ""
    if MARK not in body or not PAGES.fullmatch(pagename):
        return
    article = BeautifulSoup(body, "html.parser")
    kicker = article.select_one("p.kicker")
    clean(article)
    slides = slides_of(article)
    for slide in slides:
        tree = BeautifulSoup("".join(slide.shown), "html.parser")
        count = len(tree.get_text()) - sum(len(e.get_text()) for e in tree.select(".katex-mathml"))
        slide.kind += " full" if count > FULL else " brief" if count < BRIEF else ""
    deck = f"slides/{pagename.removeprefix('book/')}.html"
    target = Path(app.outdir, deck)
    target.parent.mkdir(parents=True, exist_ok=True)
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
