"""The printed edition: complete, numbered, bookmarked, and nothing cut off."""

import pytest
import yaml
from bs4 import BeautifulSoup
from built_site import CHAPTERS, SITE, soup
from pypdf import PdfReader, PdfWriter

from tools import print_book as printing
from tools.paths import BOOK
from tools.print_book import destinations
from tools.print_pages import Printed, anchor, page_names
from why_sqrt_d.exercises import all_exercises

WIDTH = 643  # CSS pixels between the margins of an A4 page


@pytest.fixture(scope="module")
def folder(browser, tmp_path_factory):
    made = tmp_path_factory.mktemp("printed")
    printing.print_book(browser, made, SITE)
    return made


@pytest.fixture(scope="module")
def pdf(folder):
    return PdfReader(folder / printing.NAME)


@pytest.fixture(scope="module")
def texts(pdf):
    return [page.extract_text() for page in pdf.pages]


@pytest.fixture(scope="module")
def sheet(browser, folder):
    """The file that was printed, as wide as the printed page."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.emulate_media(media="print")
    page.goto((folder / "book.html").as_uri(), timeout=60_000)
    yield page
    page.close()


def squeezed(text):
    return "".join(text.split())


def flat(html):
    return " ".join(BeautifulSoup(html, "html.parser").get_text().split())


def heading(element):
    return " ".join(element.get_text().removesuffix("#").split())


def test_the_number_of_pages_is_plausible_and_none_is_blank(texts):
    assert 60 < len(texts) < 400
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
    for name in CHAPTERS:
        for element in soup(name).select("article h1, article h2"):
            title = heading(element)
            assert title in marks, title
        chapter = heading(soup(name).select_one("article h1"))
        assert squeezed(chapter) in squeezed(texts[marks[chapter] - 1])


def test_no_bookmark_says_its_name_twice(pdf):
    titles = list(bookmarks(pdf, pdf.outline))
    assert len(titles) > 150
    assert [title for title in titles if printing.DOUBLED.fullmatch(title)] == []
    assert "Why √d?" in titles


def test_the_contents_name_the_right_pages(pdf, sheet, texts):
    rows = sheet.locator(".contents li").evaluate_all(
        "rows => rows.map(r => [r.querySelector('a').getAttribute('href').slice(1),"
        " r.querySelector('a').innerText, Number(r.querySelector('.number').innerText)])"
    )
    found = destinations(pdf)
    assert len(rows) > 60
    for target, title, number in rows:
        assert found[target] == number, title
        assert squeezed(title) in squeezed(texts[number - 1]), (title, number)


def test_each_exercise_names_the_page_of_its_solution(pdf, sheet, texts):
    found = destinations(pdf)
    lines = sheet.locator("p.where").evaluate_all(
        "a => a.map(x => [x.querySelector('[data-page-of]').dataset.pageOf, x.innerText])"
    )
    assert len(lines) == len(all_exercises())
    asked = {anchor("answers", exercise.id): exercise for exercise in all_exercises()}
    assert {target for target, _ in lines} == set(asked)
    for target, line in lines:  # in the order of the pages, which is not that of the numbers
        exercise = asked[target]
        page = found[target]
        assert line.endswith(f": page {page}.")
        assert squeezed(f"{exercise.id} {exercise.title}") in squeezed(texts[page - 1])


def test_each_claim_names_the_page_that_settles_it(pdf, sheet):
    found = destinations(pdf)
    links = sheet.locator(".claims-table a[data-page-of]").evaluate_all(
        "a => a.map(x => [x.dataset.pageOf, x.innerText])"
    )
    claims = yaml.safe_load((BOOK / "claims.yml").read_text())
    headlines = [claim for claim in claims if "headline" in claim]
    assert len(links) == 2 * len(claims) + len(headlines)  # in the ledger, with each text, first
    for target, text in links:
        assert text.endswith(f", page {found[target]}")


def test_every_line_of_printed_code_is_there_to_its_end(texts):
    everything = squeezed("".join(texts))
    for name in CHAPTERS:
        for details in soup(name).select("article details"):
            of_form = {"hide", "exercise-other"} & set(details.get("class", ()))
            assert of_form or details.get("data-exercise") or not details.select("pre")
        cells = soup(name).select("article .cell > .cell_input pre")
        assert cells, name
        for cell in cells:
            for line in cell.get_text().splitlines():
                if line.strip():
                    assert squeezed(line) in everything, (name, line)


def test_formulas_stand_where_the_text_needs_them(texts):
    page = next(t for t in texts if "Put the five steps of the proof of" in " ".join(t.split()))
    assert "Var(q⋅k)=d" in squeezed(page)
    assert "(1.1)" in squeezed("".join(texts[5:12]))


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
