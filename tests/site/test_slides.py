"""The decks: what marked cells become, and that a projector can show every slide."""

import re
import sys
from collections import Counter
from itertools import pairwise

import axe
import nbformat
import pytest
from bs4 import BeautifulSoup
from built_site import DECKS, ROOT, SITE, soup
from test_links import broken
from waiting import wait_until

from tools.notebooks import normalised, text_of

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site import slides

SOURCE = BeautifulSoup(
    """
<section><h1>Sums<a class="headerlink" href="#s">#</a></h1><p class="lede">Lede.</p>
<section><h2>One.</h2>
<p class="on-slide">A sum <span class="math">$x. y$</span> of e.g. two
independent terms. More of it.</p>
<div class="math on-slide">x = y</div>
<p class="on-slide">Said only.</p>
<div class="proof proposition admonition on-slide"><p class="admonition-title">P 1</p>
<section><p>All is <a href="z">one</a>.</p></section></div>
<div class="proof admonition on-slide"><p>Proof.</p></div>
<div class="cell tag_hide-input on-slide"><details></details><div class="cell_output">
<figure class="numbered" id="figure-1-2"><img alt="" src="a.webp" loading="lazy">
<figcaption><p><strong>Figure 1.2. It grows.</strong> Look left.</p></figcaption></figure>
</div></div>
<div class="cell on-slide"><div class="cell_input"><pre>1 + 1</pre></div></div>
<ul class="on-slide"><li><strong>Short.</strong> yes</li></ul>
<ol class="on-slide"><li><strong>Cut.</strong> LONG</li><li>LONG</li></ol>
<p>Not marked.</p><div class="math">unmarked</div></section>
<section><h2>Measured</h2><p class="on-slide">Here are the medians of ten rows. More.</p>
<div class="cell on-slide"><details></details><div class="cell_output"><table></table></div></div>
<p class="on-slide">And these are the means of ten rows. More.</p>
<table class="on-slide"></table></section>
<section><h2>Only said</h2><p class="on-slide">Nothing to see.</p></section>
</section>""".replace("LONG", "a long entry " * 20),
    "html.parser",
)


def test_a_page_becomes_slides() -> None:
    made = slides.slides_of(SOURCE)
    assert [(slide.kind, slide.title) for slide in made] == [
        ("title", "Sums"),
        ("text", "One"),
        ("statement", "P 1"),
        ("figure", "It grows"),
        ("code", "One"),
        ("list", "One"),
        ("list", "One"),
        ("list", "Measured"),
        ("list", "Measured"),
    ]
    first, statement, figure, listed = made[1], made[2], made[3], made[6]
    sentence = BeautifulSoup(first.shown[0], "html.parser").text
    assert " ".join(sentence.split()) == "A sum $x. y$ of e.g. two independent terms."
    assert "x = y" in first.shown[1]
    assert "Said only." in first.notes[1]
    assert statement.section == "One"
    assert (figure.place, figure.name) == ("figure-1-2", "Figure 1.2")
    assert "Look left." in figure.notes[0]
    assert re.findall("Cut|long", listed.shown[0])[:2] == ["Cut", "long"]
    assert [slide.shown[0] for slide in made[-2:]] == [
        "<p>Here are the medians of ten rows.</p>",
        "<p>And these are the means of ten rows.</p>",
    ]
    everything = str([(slide.shown, slide.notes) for slide in made])
    assert "Proof" not in everything
    assert "nmarked" not in everything
    assert "Not marked" not in everything


def test_what_is_shown_has_no_links_ids_or_nested_sections() -> None:
    html = '<section id="a"><p>One <a href="b">two</a></p><img loading="lazy" src="c"></section>'
    assert slides.plain(html) == '<div><p>One two</p><img src="c"/></div>'
    assert slides.plain('<p class="on-slide lede">x</p>') == '<p class="lede">x</p>'


def test_the_mark_stays_in_a_notebooks_normal_form() -> None:
    path = next((ROOT / "book").glob("01-*.ipynb"))
    stored = path.read_text(encoding="utf-8")
    assert '"slide_type": "slide"' in stored
    assert text_of(normalised(nbformat.reads(stored, as_version=4))) == stored


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_is_a_lecture_and_all_of_it_comes_from_the_site(name: str) -> None:
    page = soup(name)
    shown = page.select(".slides > section")
    least = 8 if name.endswith("index.html") else 12
    assert least <= len(shown) <= 21
    assert shown[0].h1
    assert all(section.h2 for section in shown[1:])
    assert max(Counter(section.h2.text for section in shown[1:]).values()) <= 4
    for element in page.find_all(("a", "link", "script", "img")):
        address = element.get("href") or element.get("src")
        assert broken(name, address) is None, address


@pytest.mark.parametrize("name", DECKS)
def test_its_chapter_leads_to_it_and_has_no_mark_left(name: str) -> None:
    chapter = soup(f"book/{name.removeprefix('slides/')}")
    assert chapter.select(f'a[href="../{name}"]')
    assert not chapter.select(".on-slide")
    assert soup("book/teaching.html").select(f'a[href="../{name}"]')


@pytest.mark.parametrize("name", DECKS)
def test_every_slide_fits_the_screen_and_keys_turn_it(name: str, browser, address) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}{name}")
        wait_until(page, "window.Reveal && Reveal.isReady()")
        count = page.evaluate("Reveal.getTotalSlides()")
        for number in range(count):
            assert page.evaluate("Reveal.getIndices().h") == number
            low, right, foot = page.evaluate(
                """() => {
                  const shown = [...document.querySelectorAll("section.present .shown > *")];
                  const box = element => element.getBoundingClientRect();
                  return [Math.max(...shown.map(e => box(e).bottom)),
                    Math.max(...shown.map(e => e.scrollWidth - e.clientWidth)),
                    box(document.querySelector("section.present .place")).top];
                }"""
            )
            assert low <= foot, f"slide {number + 1} is too high by {low - foot:.0f} pixels"
            assert right <= 1, f"slide {number + 1} is too wide"
            page.keyboard.press("ArrowRight")
        assert wrong == []
        assert all(url.startswith((address, "data:")) for url in asked)
        assert axe.violations(page) == []


def test_s_opens_a_speakers_window_and_both_turn(browser, address) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        page.goto(f"{address}{DECKS[0]}#/1")
        wait_until(page, "window.Reveal && Reveal.isReady()")
        with context.expect_page() as opened:
            page.keyboard.press("s")
        speaker = opened.value
        wait_until(speaker, "window.Reveal && Reveal.isReady()")
        assert len(speaker.locator(".speaker-notes").inner_text()) > 50
        assert not page.locator(".speaker-notes").is_visible()
        assert axe.violations(speaker, ".speaker-notes") == []
        box = speaker.locator("section.present h2").bounding_box()
        notes = speaker.locator(".speaker-notes").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= notes["x"]
        at = "Reveal.getIndices().h"
        for turned, followed, key, where in (
            (speaker, page, "ArrowRight", 2),
            (page, speaker, "n", 3),
            (page, speaker, "ArrowLeft", 2),
        ):
            turned.keyboard.press(key)
            wait_until(followed, f"{at} === {where}")
            assert turned.evaluate(at) == where


def test_o_shows_all_slides(browser, address) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        page.goto(f"{address}{DECKS[0]}#/1")
        wait_until(page, "window.Reveal && Reveal.isReady()")
        title = page.locator(".slides > section:nth-child(4) h2")
        assert not title.is_visible()
        page.keyboard.press("o")
        assert title.is_visible()


def test_without_scripts_all_slides_stand_below_each_other(browser, address) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}{DECKS[0]}")
        boxes = [box.bounding_box() for box in page.locator(".slides > section").all()]
        for above, below in pairwise(boxes):
            assert above["y"] + above["height"] <= below["y"] + 1


def test_nothing_is_drawn_over_the_site() -> None:
    assert slides.MARKED.sub("", '<p class="on-slide">') == "<p>"
    assert (
        slides.MARKED.sub("", '<div class="cell on-slide docutils">')
        == '<div class="cell docutils">'
    )
    assert (SITE / "_static" / "vendor" / "reveal" / "LICENSE").exists()
