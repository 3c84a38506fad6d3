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

from tools.paths import CONFIG, HTML, ROOT
from why_sqrt_d.about import About
from why_sqrt_d.exercises import Function, get
from why_sqrt_d.exercises.show import choices

STYLE = Path(__file__).with_name("print.css")
SHEETS = ("_static/pygments.css", "_static/katex/katex.min.css")
DROPPED = (
    "details.hide",  # folded code: how figures are drawn, which numbers the text quotes
    ".exercise-box:not([data-exercise])",  # cells to change and run on the page
    ".headerlink",
    "script",
    "noscript",
    ".exercise-progress",
    ".buttons",
    "form.table-facets",
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
    """Return the pages in the order of the table of contents, as `book/index`.

    The package's reference stays on the website.
    """
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    listed = [toc["root"]]
    for chapter in (entry for part in toc["parts"] for entry in part["chapters"]):
        listed += [chapter["file"], *(deeper["file"] for deeper in chapter.get("sections", ()))]
    return [name for name in listed if not name.startswith("book/api/")]


def anchor(page: str, name: str = "") -> str:
    """Return an id that is unique in the file: page and the id it had there."""
    return f"{page.removeprefix('book/').replace('/', '-')}--{name or 'top'}"


class Printed:
    """The file to print, as it grows.

    Attributes
    ----------
    soup : BeautifulSoup
        The document.
    entries : list of (int, str, str)
        Level, title and anchor of every line of the table of contents.
    """

    def __init__(self, site: Path = HTML) -> None:
        self.site = site
        self.soup = BeautifulSoup(
            "<!doctype html><html lang='en' data-theme='light'>", "html.parser"
        )
        self.entries: list[tuple[int, str, str]] = []
        self.answers: list[tuple[str, list[Tag]]] = []
        self.names = page_names()
        self.pages = [self._page(name) for name in self.names]
        self.pages.append(self._answers())

    def _page(self, name: str) -> Tag:
        """Return one page's article, made ready."""
        path = self.site / f"{name}.html"
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        article = page.select_one("article.bd-article")
        if article is None:
            raise ValueError(f"{path} has no article: run `make book`")
        for text in article.select("details > noscript"):  # what the page's script would unfold
            text.unwrap()
        for details in article.select("details.exercise-hint, details.exercise-solution"):
            self._readdress(details, name, path)
            self._put_off(details)
        for figure in article.select("live-figure"):
            self._still(figure, page)
        for selector in DROPPED:
            for found in article.select(selector):
                found.decompose()
        for details in article.select("details"):  # what is left has text: paper cannot unfold it
            details.replace_with(self._opened(details))
        for box in article.select(".exercise-box"):
            self._exercise(box, page)
        self._readdress(article, name, path)
        self._number(article, name)
        self._enter(article, name)
        article.name, article["class"] = "section", "page"
        return article.extract()

    def _put_off(self, details: Tag) -> None:
        """Keep a hint or a solution for the end of the book."""
        exercise = str(details["data-exercise"])
        if not self.answers or self.answers[-1][0] != exercise:
            self.answers.append((exercise, []))
        self.answers[-1][1].append(details.extract())

    def _exercise(self, box: Tag, page: BeautifulSoup) -> None:
        """Put what there is to choose from in the place of a form."""
        found = get(str(box["data-exercise"]))
        rows = choices(found.kind)
        if rows:
            options = page.new_tag("ul", attrs={"class": "options"})
            for letter, text in rows:
                item = page.new_tag("li")
                item.append(page.new_tag("b", string=letter))
                item.append(text)
                options.append(item)
            box.insert_before(options)
        box.replace_with(self._where(found.id, isinstance(found.kind, Function), page))

    def _where(self, exercise: str, runs: bool, page: BeautifulSoup) -> Tag:
        line = page.new_tag("p", attrs={"class": "where"})
        line.append("Write and check it in the notebook. " if runs else "")
        target = anchor("answers", exercise)
        link = page.new_tag("a", href=f"#{target}", string="Hints and solution")
        link["data-placed"] = "yes"
        line.append(link)
        line.append(": page ")
        line.append(page.new_tag("span", attrs={"data-page-of": target}))
        line.append(".")
        return line

    def _still(self, figure: Tag, page: BeautifulSoup) -> None:
        """Put the still picture, which a reader without scripts sees, in a live figure's place."""
        inside = figure.find("noscript")
        assert isinstance(inside, Tag)
        inside.name, inside["class"] = "div", "cell_output"
        line = page.new_tag("p", attrs={"class": "on-paper"})
        line.string = "On the website this figure computes, and you can change what it shows."
        figure.insert_after(line)
        figure.replace_with(inside.extract())

    def _readdress(self, article: Tag, name: str, path: Path) -> None:
        """Make ids unique, links internal and pictures findable."""
        for element in article.find_all(id=True):
            element["id"] = anchor(name, str(element["id"]))
        for link in article.select("a[href]:not([data-placed])"):
            link["href"] = self._target(str(link["href"]), name, path)
            if link["href"] == "":
                del link["href"]
        for link in article.select(".claims-table .settled a[href^='#']"):
            link["data-page-of"] = str(link["href"])[1:]
            link["data-said"] = f"{link.get_text()}, page "
        for image in article.select("img[src]"):
            del image["loading"]  # on paper nothing is scrolled to
            image["src"] = (path.parent / unquote(str(image["src"]))).resolve().as_uri()

    def _target(self, address: str, name: str, path: Path) -> str:
        """Return where a link leads in the file; outside the book it stays as it is."""
        parts = urlsplit(address)
        if parts.scheme:
            return address
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
        for page in self.names:
            if file == (self.site / f"{page}.html").resolve():
                return f"#{anchor(page, unquote(parts.fragment))}"
        return ""  # a picture's own file, a download: nothing to follow on paper

    def _number(self, article: Tag, name: str) -> None:
        """Give a deeper page its number, "3a" for example; the website says it by its place."""
        found = DEEPER.match(name)
        heading = article.find("h1")
        if found and isinstance(heading, Tag):
            heading.insert(0, f"{found[1]}. ")

    def _enter(self, article: Tag, name: str) -> None:
        """Note the page's headings for the table of contents."""
        for heading in article.select("h1, h2"):
            level = int(heading.name[1])
            if level == 1:
                heading["id"] = anchor(name)
            elif not heading.get("id"):
                heading["id"] = anchor(name, f"heading-{len(self.entries)}")
            title = " ".join(heading.get_text().split())
            self.entries.append((level, title, str(heading["id"])))

    def _answers(self) -> Tag:
        """Return the last part: hints and solutions."""
        part = self.soup.new_tag("section", attrs={"class": "page answers"})
        top = anchor("answers")
        part.append(self.soup.new_tag("h1", string="Hints and solutions", id=top))
        self.entries.append((1, "Hints and solutions", top))
        chapter = ""
        for exercise, folded in self.answers:
            found = get(exercise)
            if found.chapter != chapter:
                chapter = found.chapter
                head = self.soup.new_tag("h2", string=f"Chapter {chapter}")
                head["id"] = anchor("answers", f"chapter-{chapter}")
                part.append(head)
                self.entries.append((2, f"Chapter {chapter}", str(head["id"])))
            title = self.soup.new_tag("h3", string=f"{exercise} {found.title}")
            title["id"] = anchor("answers", exercise)
            part.append(title)
            for details in folded:
                part.append(self._opened(details))
        return part

    def _opened(self, details: Tag) -> Tag:
        block = self.soup.new_tag("div")
        summary = details.find("summary")
        name = self.soup.new_tag("b", string=f"{summary.get_text()}. " if summary else "")
        if summary:
            summary.extract()
        for child in list(details.children):
            block.append(child.extract())
        first = block.find(True)  # run in, so that the name never ends a page
        if isinstance(first, Tag) and first.name == "p":
            first.insert(0, name)
        else:
            block.insert(0, name)
        return block

    def html(self, numbers: Mapping[str, int], fonts: str = "") -> str:
        """Return the whole file, with page numbers where they are known.

        `fonts` are the style sheet's rules for fonts.
        """
        soup = self.soup
        assert soup.html is not None
        soup.html.clear()
        head, body = soup.new_tag("head"), soup.new_tag("body")
        head.append(soup.new_tag("meta", charset="utf-8"))
        head.append(soup.new_tag("title", string="Why √d?"))
        for sheet in SHEETS:
            href = (self.site / sheet).as_uri()
            head.append(soup.new_tag("link", rel="stylesheet", href=href))
        head.append(soup.new_tag("style", string=fonts + STYLE.read_text(encoding="utf-8")))
        body.append(self._title_page())
        body.append(self._contents(numbers))
        for part in self.pages:
            body.append(part)
        for place in body.select("[data-page-of]"):
            number = numbers.get(str(place["data-page-of"]), "000")
            place.string = f"{place.get('data-said', '')}{number}"
        soup.html.extend([head, body])
        return str(soup)

    def referred(self) -> set[str]:
        """Return every anchor whose page number is printed."""
        rows = {target for _, _, target in self.entries}
        places = (place for page in self.pages for place in page.select("[data-page-of]"))
        return rows | {str(place["data-page-of"]) for place in places}

    def _title_page(self) -> Tag:
        about = About.of(yaml.safe_load(CONFIG.read_text(encoding="utf-8")))
        subtitle = about.title.removeprefix(about.name).strip()
        whose = escape(f"{about.people}. Version {about.version}, {about.date}. {about.address}")
        text = (
            f"<section class='title-page'><h1>{about.name}</h1><p class='subtitle'>{subtitle}</p>"
            f"<div class='about'><p>{whose}</p>{ABOUT}</div></section>"
        )
        made = BeautifulSoup(text, "html.parser").section
        assert made is not None
        return made

    def _contents(self, numbers: Mapping[str, int]) -> Tag:
        soup = self.soup
        part = soup.new_tag("section", attrs={"class": "page contents"})
        part.append(soup.new_tag("h1", string="Contents"))
        rows = soup.new_tag("ol")
        part.append(rows)
        for level, title, target in self.entries:
            row = soup.new_tag("li", attrs={"class": f"level-{level}"})
            row.append(soup.new_tag("a", href=f"#{target}", string=title))
            row.append(soup.new_tag("span", attrs={"class": "leader"}))
            number = soup.new_tag("span", attrs={"class": "number", "data-page-of": target})
            row.append(number)
            rows.append(row)
        return part
