"""Join the built pages into one HTML file for paper.

Ids become unique, links between pages become links inside the file, folded code goes, of a live
figure and of an exercise's form stays what a page without JavaScript shows, and hints and
solutions move to the end.
"""

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, SoupStrainer, Tag

from tools.paths import CONFIG, ROOT
from why_sqrt_d.about import About
from why_sqrt_d.exercises import get

STYLE = Path(__file__).with_name("print.css")
SHEETS = ("_static/pygments.css", "_static/katex/katex.min.css")
DROPPED = ", ".join(
    (
        "details.hide",  # folded code: how figures are drawn, which numbers the text quotes
        ".exercise-box:not([data-exercise])",  # cells to change and run on the page
        ".headerlink, script, noscript, .exercise-progress, .buttons, form.table-facets",
    )
)
SPOKEN = re.compile(r'<span class="katex-mathml">.*?</math></span>', re.S)  # formulas, once more
DEEPER = re.compile(r"book/(\d[a-z])-")
LIVE = "On the website this figure computes, and you can change what it shows."
ABOUT = """
<p>This is the printed edition of a website. It has every chapter's text, figures, proofs, numbers
and tables. Three things differ on paper.</p>
<p><b>Code.</b> Code that the text speaks about is printed. Code that the website folds away, which
draws figures and computes the numbers in the text, is left out: the website and the notebooks have
it.</p>
<p><b>Figures that compute</b> show one state, and the line below says so.</p>
<p><b>Exercises.</b> Hints and solutions stand at the end. The website and the notebooks check an
answer and say what is wrong with it.</p>
<p>The reference of the package stays on the website.</p>
"""


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


def part(html: str) -> Tag:
    """Return the one element of a piece of HTML."""
    found = BeautifulSoup(html, "html.parser").find(True)
    assert isinstance(found, Tag)
    return found


def article(site: Path, name: str, names: list[str], answers: dict[str, list[Tag]]) -> Tag:
    """Return one page's article for paper; hints and solutions are put off into `answers`."""
    path = site / f"{name}.html"
    text = SPOKEN.sub("", path.read_text(encoding="utf-8"))
    page = BeautifulSoup(text, "html.parser", parse_only=SoupStrainer("article"))
    found = page.select_one("article.bd-article")
    assert found is not None, f"{path} has no article: run `make book`"
    readdress(found, name, path, {(site / f"{page}.html").resolve(): page for page in names})
    for figure in found.find_all("live-figure"):
        figure.replace_with(
            *figure.select("noscript > *"), part(f"<p class='on-paper'>{LIVE}</p>")
        )
    for box in found.select(".exercise-box[data-exercise]"):
        target = anchor("answers", str(box["data-exercise"]))
        link = part(f"<p class='where'><a href='#{target}'>Hints and solution</a></p>")
        box.replace_with(*box.select("noscript > ul"), link)
    for gone in found.select(DROPPED):
        gone.decompose()
    for details in found.find_all("details"):  # paper cannot unfold it
        if exercise := details.get("data-exercise"):
            answers.setdefault(str(exercise), []).append(opened(details.extract()))
        else:
            details.replace_with(opened(details))
    heading = found.find("h1")
    assert isinstance(heading, Tag)
    heading["id"] = anchor(name)
    if deeper := DEEPER.match(name):  # the website says it by its place
        heading.insert(0, f"{deeper[1]}. ")
    found.name, found["class"] = "section", "page"
    return found.extract()


def readdress(found: Tag, name: str, path: Path, pages: Mapping[Path, str]) -> None:
    """Make ids unique, links internal and pictures findable."""
    for element in found.find_all(id=True):
        element["id"] = anchor(name, str(element["id"]))
    for link in found.find_all("a", href=True):
        parts = urlsplit(str(link["href"]))
        if not parts.scheme:
            file = path.parent / unquote(parts.path) if parts.path else path
            to = pages.get(file.resolve())
            link["href"] = f"#{anchor(to, unquote(parts.fragment) or 'top')}" if to else ""
        if not link["href"]:  # a picture's own file, a download: nothing to follow on paper
            del link["href"]
    for image in found.find_all("img"):
        del image["loading"]  # on paper nothing is scrolled to
        image["src"] = (path.parent / unquote(str(image["src"]))).resolve().as_uri()


def opened(details: Tag) -> Tag:
    """Return what a fold holds, its title run in."""
    summary, first = details.find_all(True, recursive=False)[:2]
    (first if first.name == "p" else details).insert(0, part(f"<b>{summary.get_text()}. </b>"))
    summary.extract()
    details.name, details.attrs = "div", {}
    return details


def joined(site: Path) -> str:
    """Return the whole file; the contents' page numbers are still to be filled in."""
    names = page_names()
    answers: dict[str, list[Tag]] = {}
    pages = [article(site, name, names, answers) for name in names]
    head = f"<h1 id='{anchor('answers')}'>Hints and solutions</h1>"
    last = part(f"<section class='page answers'>{head}</section>")
    for exercise, folded in answers.items():
        title = f"{exercise} {escape(get(exercise).title)}"
        last.append(part(f"<h3 id='{anchor('answers', exercise)}'>{title}</h3>"))
        last.extend(folded)
    rows = []
    for number, heading in enumerate(
        h for page in (*pages, last) for h in page.find_all(["h1", "h2"])
    ):
        heading["id"] = target = str(heading.get("id") or f"heading-{number}")
        rows.append(
            f"<li class='level-{heading.name[1]}'><a href='#{target}'>{escape(heading.get_text())}"
            f"</a><span class='leader'></span><span class='number' data-to='{target}'></span></li>"
        )
    about = About.of(yaml.safe_load(CONFIG.read_text(encoding="utf-8")))
    said = (about.people, f"Version {about.version}, {about.date}", about.address)
    whose = escape(" · ".join(filter(None, said)))
    look = (site / "_static" / "look.css").read_text("utf-8")
    fonts = "\n".join(re.findall(r"@font-face \{[^}]*fonts/[^}]*\}", look))
    style = re.sub(r"font-display: *\w+;", "", fonts)  # here one waits for them
    style = re.sub(r"url\(\"?fonts/", f"url({(site / '_static').as_uri()}/fonts/", style)
    sheets = "".join(f"<link rel='stylesheet' href='{(site / s).as_uri()}'>" for s in SHEETS)
    return (
        f"<!doctype html><html lang='en' data-theme='light'><head><meta charset='utf-8'>"
        f"<title>{about.name}</title>{sheets}<style>{style}{STYLE.read_text('utf-8')}</style></head>"
        f"<body><section class='title-page'><h1>{about.name}</h1>"
        f"<p class='subtitle'>{about.title.removeprefix(about.name).strip()}</p>"
        f"<div class='about'><p>{whose}</p>{ABOUT}</div></section>"
        f"<section class='page contents'><h1>Contents</h1><ol>{''.join(rows)}</ol></section>"
        f"{''.join(map(str, pages))}{last}</body></html>"
    )
