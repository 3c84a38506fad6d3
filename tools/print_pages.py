"""Join the built pages into one HTML file for paper.

Ids become unique, links between pages become links inside the file, folded code goes, a live
figure stays as a picture, an exercise's form becomes its options, and hints and solutions move to
the end.
"""

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from tools.paths import CONFIG, ROOT
from why_sqrt_d.about import About
from why_sqrt_d.exercises import get
from why_sqrt_d.exercises.show import choices

STYLE = Path(__file__).with_name("print.css")
SHEETS = ("_static/pygments.css", "_static/katex/katex.min.css")
DROPPED = (
    "details.hide",  # folded code: how figures are drawn, which numbers the text quotes
    ".exercise-box:not([data-exercise])",  # cells to change and run on the page
    ".headerlink, script, noscript, .exercise-progress, .buttons, form.table-facets",
    ".katex-mathml",
)
DEEPER = re.compile(r"book/(\d[a-z])-")
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
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    found = page.select_one("article.bd-article")
    assert found is not None, f"{path} has no article: run `make book`"
    readdress(found, name, path, {(site / f"{page}.html").resolve(): page for page in names})
    for details in found.select("details.exercise-hint, details.exercise-solution"):
        answers.setdefault(str(details["data-exercise"]), []).append(opened(details.extract()))
    for text in found.select("details > noscript, live-figure > noscript"):
        text.unwrap()
    for figure in found.select("live-figure"):
        said = "On the website this figure computes, and you can change what it shows."
        figure.insert_after(part(f"<p class='on-paper'>{said}</p>"))
        figure.name = "div"
    for selector in DROPPED:
        for gone in found.select(selector):
            gone.decompose()
    for details in found.select("details"):  # what is left has text: paper cannot unfold it
        details.replace_with(opened(details))
    for box in found.select(".exercise-box"):
        rows = choices(get(str(box["data-exercise"])).kind)
        items = "".join(f"<li><b>{letter}</b>{escape(text)}</li>" for letter, text in rows)
        target = anchor("answers", str(box["data-exercise"]))
        link = f"<p class='where'><a href='#{target}'>Hints and solution</a></p>"
        box.replace_with(part(f"<div><ul class='options'>{items}</ul>{link}</div>"))
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
    for link in found.select("a[href]"):
        parts = urlsplit(str(link["href"]))
        if not parts.scheme:
            file = path.parent / unquote(parts.path) if parts.path else path
            to = pages.get(file.resolve())
            link["href"] = f"#{anchor(to, unquote(parts.fragment) or 'top')}" if to else ""
        if not link["href"]:  # a picture's own file, a download: nothing to follow on paper
            del link["href"]
    for image in found.select("img[src]"):
        del image["loading"]  # on paper nothing is scrolled to
        image["src"] = (path.parent / unquote(str(image["src"]))).resolve().as_uri()


def opened(details: Tag) -> Tag:
    """Return what a fold holds, its title run in."""
    summary, first = details.find_all(True, recursive=False)[:2]
    (first if first.name == "p" else details).insert(0, part(f"<b>{summary.get_text()}. </b>"))
    summary.extract()
    details.name, details.attrs = "div", {}
    return details


def joined(site: Path, numbers: Mapping[str, int]) -> str:
    """Return the whole file, with the page numbers of headings where they are known."""
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
    for number, heading in enumerate(h for page in (*pages, last) for h in page.select("h1, h2")):
        heading["id"] = target = str(heading.get("id") or f"heading-{number}")
        at = numbers.get(target, "000")
        rows.append(
            f"<li class='level-{heading.name[1]}'><a href='#{target}'>{escape(heading.get_text())}"
            f"</a><span class='leader'></span><span class='number'>{at}</span></li>"
        )
    about = About.of(yaml.safe_load(CONFIG.read_text(encoding="utf-8")))
    whose = escape(f"{about.people}. Version {about.version}, {about.date}. {about.address}")
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
