"""Print the whole course as one PDF: `python -m tools.print_book`, after `make book`.

The built pages become one HTML file: ids unique, links between pages links inside it, folded code
left out, hints and solutions at the end, and what a page has for want of JavaScript in the place
of live figures and forms. Chromium prints it to `_build/pdf`; the site's first page links to a
copy.
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from jinja2 import Template
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

from tools.chromium import NoBrowser, chromium
from tools.paths import BUILD, HTML, ROOT
from why_sqrt_d.about import About
from why_sqrt_d.exercises import get

NAME = "why-sqrt-d.pdf"
FOLDER = BUILD / "pdf"
PAPER = Path(__file__).with_name("print.html")
STYLE = PAPER.with_suffix(".css")
SHEETS = ("pygments.css", "katex/katex.min.css")
DROPPED = (
    "details.hide, details[hidden], .headerlink, script, form, .exercise-progress, .buttons, "
    ".exercise-box:not([data-exercise]), .exercise-box noscript > p, p.rows + details"
)
LETTERS = '<span class="katex-html"'  # of a formula: nearly half of all elements
SPOKEN = re.compile(r'<span class="katex-mathml">.*?</math></span>', re.S)  # formulas, once more
FACES = re.compile(r"@font-face \{[^}]*fonts/[^}]*\}")
DEEPER = re.compile(r"book/(\d[a-z])-")
PLACE = re.compile(r'(<span class="printed-edition">).*?(</span>)', re.S)
TWICE = re.compile(r"(.+)\1")  # Chromium's bookmark of a heading with a √ at a page's top
PATIENCE = 300_000  # milliseconds for the printing


def page_names() -> list[str]:
    """Return the pages in the order of the table of contents; not the package's reference."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    listed = [toc["root"]]
    for chapter in (entry for part in toc["parts"] for entry in part["chapters"]):
        listed += [chapter["file"], *(deeper["file"] for deeper in chapter.get("sections", ()))]
    return [name for name in listed if not name.startswith("book/api/")]


def anchor(page: str, name: str = "top") -> str:
    """Return an id that is unique in the file: page and the id it had there."""
    return f"{page.removeprefix('book/').replace('/', '-')}--{name}"


def without_letters(text: str, letters: list[str]) -> str:
    """Put a number in the place of each formula's letters, and append those to a list."""
    first, *parts = text.split(LETTERS)
    for place, part in enumerate(parts):
        depth = 1
        for tag in re.finditer(r"<(/?)span\b[^>]*>", part):
            depth += -1 if tag[1] else 1
            if not depth:
                parts[place] = f"⟦{len(letters)}⟧{part[tag.end() :]}"
                letters.append(LETTERS + part[: tag.end()])
                break
    return first + "".join(parts)


def article(site: Path, name: str, names: list[str], letters: list[str]) -> Tag:
    """Return one page's article for paper, its formulas' letters apart."""
    path = site / f"{name}.html"
    text = without_letters(SPOKEN.sub("", path.read_text(encoding="utf-8")), letters)
    page = BeautifulSoup("".join(re.findall("<article.*</article>", text, re.S)), "html.parser")
    body = page.select_one("article.bd-article")
    assert body is not None, f"{path} has no article: run `make book`"
    pages = {(site / f"{page}.html").resolve(): page for page in names}
    for element in body.find_all(id=True):
        element["id"] = anchor(name, str(element["id"]))
    for link in body.find_all("a", href=True):
        parts = urlsplit(str(link["href"]))
        to = pages.get((path.parent / unquote(parts.path)).resolve() if parts.path else path)
        if to:
            link["href"] = f"#{anchor(to, unquote(parts.fragment) or 'top')}"
        elif not parts.scheme:  # a picture's own file, a download: nothing to follow on paper
            del link["href"]
    for image in body.find_all("img"):
        del image["loading"]  # on paper nothing is scrolled to
        image["src"] = (path.parent / unquote(str(image["src"]))).resolve().as_uri()
    for gone in body.select(DROPPED):
        gone.decompose()
    for still in body.find_all("noscript"):
        still.unwrap()
    for box in body.select(".exercise-box"):
        link = page.new_tag("a", href=f"#answer-{box['data-exercise']}", attrs={"class": "where"})
        link.string = "Hints and solution"
        box.append(link)
    for folded in body.select("details.later, details.later > summary"):
        folded.unwrap()
    for details in body.find_all("details"):
        details["open"] = ""
    heading = body.select("h1")[0]
    heading["id"] = anchor(name)
    if deeper := DEEPER.match(name):  # the website says it by its place
        heading.insert(0, f"{deeper[1]}. ")
    body.name, body["class"] = "section", "page"
    return body.extract()


def joined(site: Path) -> str:
    """Return the whole file."""
    names, letters = page_names(), list[str]()
    pages = [article(site, name, names, letters) for name in names]
    answers: dict[str, list[Tag]] = {}
    for details in (fold for page in pages for fold in page.select("details[data-exercise]")):
        answers.setdefault(str(details["data-exercise"]), []).append(details.extract())
    static = (site / "_static").as_uri()
    faces = "".join(FACES.findall((site / "_static" / "look.css").read_text("utf-8")))
    faces = faces.replace("url(", f"url({static}/").replace("fallback;", "block;")
    text = Template(PAPER.read_text("utf-8")).render(
        about=About.read(ROOT),
        sheets=[f"{static}/{sheet}" for sheet in SHEETS],
        style=faces + STYLE.read_text("utf-8"),
        headings=[page.h1 for page in pages],
        pages=pages,
        answers=answers,
        titles={exercise: get(exercise).title for exercise in answers},
    )
    return re.sub(r"⟦(\d+)⟧", lambda mark: letters[int(mark[1])], text)


def print_book(browser: Any, folder: Path, site: Path = HTML) -> Path:
    """Print the built site into a folder, beside the HTML that it is printed from."""
    folder.mkdir(parents=True, exist_ok=True)
    html, pdf = folder / "book.html", folder / NAME
    html.write_text(joined(site), encoding="utf-8")
    page, missing = browser.new_page(), list[str]()
    page.on("requestfailed", lambda request: missing.append(request.url))
    page.set_default_timeout(PATIENCE)
    page.goto(html.as_uri())
    page.evaluate("document.fonts.ready")
    if missing:
        raise RuntimeError(f"the page names files that are not there: {missing[:3]}")
    page.pdf(path=pdf, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    page.close()
    writer = PdfWriter(clone_from=pdf)
    for mark in writer._objects:
        if isinstance(mark, dict) and (title := TWICE.fullmatch(str(mark.get("/Title")))):
            mark[NameObject("/Title")] = TextStringObject(title[1])
    writer.write(pdf)
    return pdf


def main() -> int:
    """Print, put the PDF beside the site's pages and link it from the first."""
    try:
        with chromium() as browser:
            pdf = print_book(browser, FOLDER)
    except NoBrowser as missing:
        print(missing, file=sys.stderr)
        return 1
    shutil.copyfile(pdf, HTML / NAME)
    pages, size = len(PdfReader(pdf).pages), pdf.stat().st_size / 1e6
    link = f'<a href="../{NAME}">the whole course as one PDF</a> ({pages} pages, {size:.1f} MB)'
    front = HTML / "book" / "index.html"
    front.write_text(PLACE.sub(rf"\1{link}\2", front.read_text("utf-8")), "utf-8")
    print(f"{pages} pages: {pdf}, linked from {front}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
