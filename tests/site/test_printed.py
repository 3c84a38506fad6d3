"""The printed edition: complete, numbered, bookmarked, and nothing cut off.

The file that is printed is looked at whole, as wide as the paper; Chromium prints a part of it.
"""

from urllib.parse import unquote

import pytest
from built_site import CHAPTERS, SITE, count_of, soup
from pypdf import PdfReader

from tools import print_book as printing
from tools.print_book import joined
from why_sqrt_d.exercises import all_exercises

CHAPTER = CHAPTERS[1]
NAMES = [CHAPTER.removesuffix(".html"), "book/2b-by-counting"]
WIDTH = 643  # CSS pixels between the margins of an A4 page


@pytest.fixture(scope="module")
def pdf(browser, tmp_path_factory):
    """A part of the course, printed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printing, "page_names", lambda: NAMES)
        return PdfReader(printing.print_book(browser, tmp_path_factory.mktemp("printed"), SITE))


@pytest.fixture(scope="module")
def texts(pdf):
    return [page.extract_text() for page in pdf.pages]


@pytest.fixture(scope="module")
def sheet(browser, tmp_path_factory):
    """The whole course, as wide as the printed page."""
    file = tmp_path_factory.mktemp("whole") / "book.html"
    file.write_text(joined(SITE), encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.emulate_media(media="print")
    page.goto(file.as_uri(), timeout=printing.PATIENCE)
    yield page
    page.close()


def squeezed(text):
    return "".join(text.split())


def bookmarks(pdf, marks):
    """Return title and page of every bookmark, those below others too."""
    if not isinstance(marks, list):
        return {marks.title: pdf.get_destination_page_number(marks) + 1}
    return {title: page for one in marks for title, page in bookmarks(pdf, one).items()}


def test_pages_are_a4_numbered_and_none_is_blank(pdf, texts):
    assert 10 < len(texts) < 60
    for number, (page, text) in enumerate(zip(pdf.pages, texts, strict=True), 1):
        assert page.mediabox.upper_right == pytest.approx((595.3, 841.9), abs=1)
        assert len(squeezed(text)) > 20
        assert (str(number) in [line.strip() for line in text.splitlines()]) == (number > 1)
    assert pdf.root_object["/Lang"] == "en"


def test_headings_stand_where_bookmarks_say_and_no_code_is_lost(pdf, texts):
    marks = bookmarks(pdf, pdf.outline)
    for element in soup(CHAPTER).select("article h1, article h2"):
        title = " ".join(element.get_text().removesuffix("#").split())
        assert squeezed(title) in squeezed(texts[marks[title] - 1])
    everything = squeezed("".join(texts))
    assert "(2.1)" in everything
    for cell in soup(CHAPTER).select("article .cell > .cell_input pre"):
        assert all(squeezed(line) in everything for line in cell.get_text().splitlines())


def test_nothing_is_cut_off_and_the_letters_are_the_sites(sheet):
    loaded = sheet.evaluate(
        "[...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)"
    )
    assert {"Course Serif", "Course Sans", "KaTeX_Main"} <= {name.strip('"') for name in loaded}
    wide = sheet.evaluate(
        "w => [...document.querySelectorAll('body *')].filter(e => !e.closest('.katex, svg')"
        " || e.matches('.katex-display .base'))"
        ".filter(e => e.getBoundingClientRect().right > w + 1 || (e.matches('pre, table, td')"
        " && e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML.slice(0, 90))",
        WIDTH,
    )
    assert wide == []


def test_pictures_exercises_and_their_solutions_are_there(sheet):
    bad = "[...document.images].filter(i => !i.naturalWidth || !i.alt).map(i => i.src)"
    assert sheet.evaluate(bad) == []
    stills = sum(count_of(f"{name}.html", "</live-figure>") for name in printing.page_names())
    assert sheet.locator("live-figure img").count() == stills
    assert sheet.locator("a.where").count() == len(all_exercises())
    solved = sheet.locator(".answers h3").all_inner_texts()
    assert sorted(title.split()[0] for title in solved) == sorted(e.id for e in all_exercises())
    for selector in ("details:not([open])", "form", "input", "button", "script"):
        assert sheet.locator(f"body {selector}").count() == 0, selector


def test_links_lead_inside_the_book_and_ids_are_unique(sheet):
    ids = sheet.locator("[id]").evaluate_all("a => a.map(e => e.id)")
    assert len(ids) == len(set(ids))
    led = sheet.locator("a[href^='#']").evaluate_all("a => a.map(e => e.getAttribute('href'))")
    assert {unquote(to[1:]) for to in led} <= set(ids)


def test_a_page_printed_from_dark_mode_is_light_and_keeps_its_choices(browser, tmp_path):
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="dark")
    page.goto((SITE / CHAPTER).as_uri())
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    seen = "addEventListener('beforeprint', () => window.inks = ['--paper', '--ink'].map("
    seen += "x => getComputedStyle(document.documentElement).getPropertyValue(x).trim()))"
    page.evaluate(seen)
    said = [fieldset.inner_text() for fieldset in page.locator(".exercise-option").all()]
    page.pdf(path=tmp_path / "page.pdf")
    assert page.evaluate("[window.inks, document.documentElement.dataset.theme]") == [
        ["#fdfcf9", "#1d2127"],
        "dark",
    ]
    page.emulate_media(media="print")
    assert page.locator(".exercise-step").first.is_visible()
    assert not page.locator(".exercise-moves").first.is_visible()
    page.close()
    whole = squeezed("".join(x.extract_text() for x in PdfReader(tmp_path / "page.pdf").pages))
    choices = [squeezed(x)[1:] for x in said if x.isascii()]
    assert len(choices) > 3
    assert all(choice in whole for choice in choices)
