"""The printed edition: complete, numbered, bookmarked, and nothing cut off.

The file that is printed is looked at whole, as wide as the paper; Chromium prints a part of it,
which has everything that a number of a page stands in.
"""

import pytest
import yaml
from bs4 import BeautifulSoup
from built_site import CHAPTERS, SITE, soup
from pypdf import PdfReader, PdfWriter

from tools import print_book as printing
from tools import print_pages
from tools.paths import BOOK
from tools.print_book import destinations
from tools.print_fonts import write_fonts
from tools.print_pages import Printed, anchor, page_names
from why_sqrt_d.exercises import all_exercises

CHAPTER = CHAPTERS[1]
NAMES = ["book/index", CHAPTER.removesuffix(".html"), "book/2a-exact-law", "book/claims"]
ASKED = [exercise for exercise in all_exercises() if exercise.chapter == "2"]
WIDTH = 643  # CSS pixels between the margins of an A4 page


@pytest.fixture(scope="module")
def folder(browser, tmp_path_factory):
    """Where a part of the course is printed."""
    made = tmp_path_factory.mktemp("printed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(print_pages, "page_names", lambda: NAMES)
        printing.print_book(browser, made, SITE)
    return made


@pytest.fixture(scope="module")
def printed(folder):
    """The file of that part."""
    return BeautifulSoup((folder / "book.html").read_text("utf-8"), "html.parser")


@pytest.fixture(scope="module")
def pdf(folder):
    return PdfReader(folder / printing.NAME)


@pytest.fixture(scope="module")
def texts(pdf):
    return [page.extract_text() for page in pdf.pages]


@pytest.fixture(scope="module")
def sheet(browser, tmp_path_factory):
    """The whole course, as wide as the printed page."""
    file = tmp_path_factory.mktemp("whole") / "book.html"
    file.write_text(Printed(SITE).html({}, write_fonts(SITE, file.parent)), encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.emulate_media(media="print")
    page.goto(file.as_uri(), timeout=60_000)
    yield page
    page.close()


def squeezed(text):
    return "".join(text.split())


def flat(html):
    return " ".join(BeautifulSoup(html, "html.parser").get_text().split())


def heading(element):
    return " ".join(element.get_text().removesuffix("#").split())


def test_the_number_of_pages_is_plausible_and_none_is_blank(texts):
    assert 20 < len(texts) < 100
    blank = [number for number, text in enumerate(texts, 1) if len(squeezed(text)) < 20]
    assert not blank


def test_every_page_is_a4(pdf):
    for page in pdf.pages:
        assert (page.mediabox.left, page.mediabox.bottom) == (0, 0)
        assert page.mediabox.upper_right == pytest.approx((595.3, 841.9), abs=1)


def test_every_font_is_embedded(pdf):
    objects = (pdf.get_object(number) for number in range(1, pdf.trailer["/Size"]))
    found = [x for x in objects if isinstance(x, dict) and x.get("/Type") == "/FontDescriptor"]
    assert any("KaTeX_Math" in x["/FontName"] for x in found)
    for descriptor in found:
        assert descriptor.keys() & {"/FontFile", "/FontFile2", "/FontFile3"}, descriptor


def bookmarks(pdf, marks):
    """Return title and page of every bookmark, those below others too."""
    found = {}
    for mark in marks:
        if isinstance(mark, list):
            found |= bookmarks(pdf, mark)
        else:
            found[mark.title] = pdf.get_destination_page_number(mark) + 1
    return found


def test_pages_are_numbered_and_the_title_page_is_not(texts):
    for number, text in enumerate(texts, 1):
        lines = [line.strip() for line in text.splitlines()]
        assert (str(number) in lines) == (number > 1), number


def test_every_chapter_and_section_is_bookmarked_where_it_stands(pdf, texts):
    marks = bookmarks(pdf, pdf.outline)
    for element in soup(CHAPTER).select("article h1, article h2"):
        title = heading(element)
        assert title in marks, title
    chapter = heading(soup(CHAPTER).select_one("article h1"))
    assert squeezed(chapter) in squeezed(texts[marks[chapter] - 1])


def test_no_bookmark_says_its_name_twice(pdf):
    titles = list(bookmarks(pdf, pdf.outline))
    assert len(titles) > 25
    assert [title for title in titles if printing.DOUBLED.fullmatch(title)] == []
    assert "Why √d?" in titles


def test_the_contents_name_the_right_pages(pdf, printed, texts):
    rows = printed.select(".contents li")
    found = destinations(pdf)
    assert len(rows) > 20
    for row in rows:
        title, number = row.a.get_text(), int(row.select_one(".number").get_text())
        assert found[row.a["href"][1:]] == number, title
        assert squeezed(title) in squeezed(texts[number - 1]), (title, number)


def test_each_exercise_names_the_page_of_its_solution(pdf, printed, texts):
    found = destinations(pdf)
    lines = {p.select_one("[data-page-of]")["data-page-of"]: p for p in printed.select("p.where")}
    assert set(lines) == {anchor("answers", exercise.id) for exercise in ASKED}
    for exercise in ASKED:
        target = anchor("answers", exercise.id)
        assert lines[target].get_text().endswith(f": page {found[target]}.")
        said = squeezed(texts[found[target] - 1])
        assert squeezed(f"{exercise.id} {exercise.title}") in said


def test_each_claim_names_the_page_that_settles_it(pdf, printed, sheet):
    found = destinations(pdf)
    links = printed.select(".claims-table a[data-page-of]")
    assert len(links) > 5  # those that lead to a printed page
    for link in links:
        assert link.get_text().endswith(f", page {found[link['data-page-of']]}")
    claims = yaml.safe_load((BOOK / "claims.yml").read_text())
    headlines = [claim for claim in claims if "headline" in claim]
    whole = sheet.locator(".claims-table a[data-page-of]").count()
    assert whole == 2 * len(claims) + len(headlines)  # in the ledger, with each text, first


def test_every_line_of_printed_code_is_there_to_its_end(texts):
    everything = squeezed("".join(texts))
    for name in CHAPTERS:
        for details in soup(name).select("article details"):
            of_form = {"hide", "exercise-other"} & set(details.get("class", ()))
            assert of_form or details.get("data-exercise") or not details.select("pre")
    cells = soup(CHAPTER).select("article .cell > .cell_input pre")
    assert cells
    for cell in cells:
        for line in cell.get_text().splitlines():
            assert squeezed(line) in everything, line


def test_formulas_stand_where_the_text_needs_them(texts):
    page = next(t for t in texts if "Put the five steps of the proof of" in " ".join(t.split()))
    assert "Var(q⋅k)=d" in squeezed(page)
    assert "(2.1)" in squeezed("".join(texts))


def test_nothing_is_wider_than_the_page(sheet):
    wide = sheet.evaluate(
        "w => [...document.querySelectorAll('body *')].filter(e => !e.closest('.katex, svg'))"
        ".filter(e => e.getBoundingClientRect().right > w + 1 || (e.matches('pre, table, td')"
        " && e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML.slice(0, 90))",
        WIDTH,
    )
    assert wide == []


def test_no_formula_is_cut_off(sheet):
    wide = sheet.evaluate(
        "w => [...document.querySelectorAll('.katex-display .base')]"
        ".filter(e => e.getBoundingClientRect().right > w + 1).map(e => e.innerText)",
        WIDTH,
    )
    assert wide == []


def test_all_pictures_are_loaded_and_described(sheet):
    bad = sheet.evaluate(
        "[...document.images].filter(i => !i.naturalWidth || !i.alt).map(i => i.src)"
    )
    assert bad == []
    for name in CHAPTERS:
        live = len(soup(name).select("live-figure"))
        prefix = anchor(name.removesuffix(".html"))
        section = sheet.locator(f"section.page:has([id='{prefix}'])")
        assert section.locator("p.on-paper").count() == live
    assert sheet.locator("p.where").count() == len(all_exercises())


def test_links_lead_inside_the_book_and_ids_are_unique(sheet):
    lost, twice = sheet.evaluate(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
        " const known = new Set(ids);"
        " return [[...document.querySelectorAll('a[href^=\"#\"]')]"
        ".map(a => decodeURIComponent(a.getAttribute('href').slice(1)))"
        ".filter(id => !known.has(id)), ids.filter((id, i) => ids.indexOf(id) !== i)]; })()"
    )
    assert (lost, twice) == ([], [])


def test_folded_code_and_forms_stay_out(sheet):
    for selector in ("details", "form", "input", "button", "script"):
        assert sheet.locator(f"body {selector}").count() == 0, selector


def test_the_pages_are_those_of_the_site():
    assert page_names()[0] == "book/index"
    assert {f"{name}.html" for name in page_names()} >= set(CHAPTERS)


def test_the_tagged_pdf_names_its_language(pdf):
    assert pdf.root_object["/MarkInfo"]["/Marked"]
    assert pdf.root_object["/Lang"] == "en"


def test_publishing_links_the_front_page_once_and_again(tmp_path, monkeypatch):
    front = tmp_path / "book" / "index.html"
    front.parent.mkdir()
    text = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    assert len(printing.PLACE.findall(text)) == 1
    front.write_text(text, encoding="utf-8")
    made = tmp_path / "made.pdf"
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(made)
    monkeypatch.setattr(printing, "HTML", tmp_path)
    monkeypatch.setattr(printing, "FRONT", front)
    for _ in range(2):
        assert printing.publish(made) == 1
        said = front.read_text(encoding="utf-8")
        assert said.count(f'href="../{printing.NAME}"') == 1
        assert "On paper: the whole course as one PDF (1 page, 0.0 MB)." in flat(said)
    assert (tmp_path / printing.NAME).read_bytes() == made.read_bytes()
    front.write_text("<p>no place</p>", encoding="utf-8")
    with pytest.raises(RuntimeError, match="0 places"):
        printing.publish(made)


def test_a_site_without_pages_is_named(tmp_path):
    with pytest.raises(FileNotFoundError):
        Printed(tmp_path)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.html").write_text("<p>nothing</p>")
    with pytest.raises(ValueError, match="make book"):
        Printed(tmp_path)
