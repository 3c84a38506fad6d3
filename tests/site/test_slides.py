"""The decks: each is a lecture, and a projector can show every slide."""

from collections import Counter
from itertools import pairwise

import axe
import pytest
from built_site import DECKS, soup
from test_links import broken
from waiting import wait_until

# On the last lines of a slide stands its place; what is shown ends above it.
EDGES = """() => {
  const shown = [...document.querySelectorAll("section.present .shown > *")];
  const box = element => element.getBoundingClientRect();
  return [Math.max(...shown.map(e => box(e).bottom)),
    Math.max(...shown.map(e => e.scrollWidth - e.clientWidth)),
    box(document.querySelector("section.present .place")).top];
}"""


@pytest.fixture
def screen(browser):
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        yield context


def test_a_deck_is_a_lecture_and_all_of_it_comes_from_the_site():
    for name in DECKS:
        page = soup(name)
        slides = page.select(".slides > section")
        assert (7 if name.endswith("index.html") else 12) <= len(slides) <= 21
        assert slides[0].h1
        assert all(slide.h2 for slide in slides[1:])
        assert max(Counter(slide.h2.text for slide in slides[1:]).values()) <= 4
        assert all(
            slide.select_one(".shown").get_text(strip=True) or slide.img for slide in slides
        )
        assert page.select("section.figure .notes")
        assert page.select(".shown :is(a, section, button, [id], [loading])") == []
        for element in page.find_all(("a", "link", "script", "img")):
            address = element.get("href") or element.get("src")
            assert broken(name, address) is None, address
        chapter = soup(f"book/{name.removeprefix('slides/')}")
        assert chapter.select(f'a[href="../{name}"]')
        listed = soup("book/teaching.html").select_one(f'li > a[href="../{name}"]')
        assert listed.get_text() == page.h1.get_text()


@pytest.mark.parametrize("name", DECKS)
def test_every_slide_fits_the_screen_and_keys_turn_it(name, screen, address):
    page, wrong, asked = screen.new_page(), [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}{name}")
    wait_until(page, "window.Reveal && Reveal.isReady()")
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        assert page.evaluate("Reveal.getIndices().h") == number
        low, right, foot = page.evaluate(EDGES)
        assert low <= foot, f"slide {number + 1} is too high by {low - foot:.0f} pixels"
        assert right <= 1, f"slide {number + 1} is too wide"
        page.keyboard.press("ArrowRight")
    assert wrong == []
    assert all(url.startswith((address, "data:")) for url in asked)
    assert name != DECKS[1] or axe.violations(page) == []  # all have one template


def test_s_opens_a_speakers_window_and_both_turn(screen, address):
    page = screen.new_page()
    page.goto(f"{address}{DECKS[0]}#/1")
    wait_until(page, "window.Reveal && Reveal.isReady()")
    with screen.expect_page() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    wait_until(speaker, "window.Reveal && Reveal.isReady()")
    assert len(speaker.locator(".speaker-notes").inner_text()) > 50
    assert not page.locator(".speaker-notes").is_visible()
    assert axe.violations(speaker, ".speaker-notes") == []
    box = speaker.locator("section.present h2").bounding_box()
    notes = speaker.locator(".speaker-notes").bounding_box()
    assert 0 <= box["x"] <= notes["x"] - box["width"]
    for turned, followed, key, where in (
        (speaker, page, "ArrowRight", 2),
        (page, speaker, "n", 3),
        (page, speaker, "ArrowLeft", 2),
    ):
        turned.keyboard.press(key)
        wait_until(followed, f"Reveal.getIndices().h === {where}")


def test_without_scripts_all_slides_stand_below_each_other(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}{DECKS[0]}")
        boxes = [box.bounding_box() for box in page.locator(".slides > section").all()]
        for above, below in pairwise(boxes):
            assert above["y"] + above["height"] <= below["y"] + 1
