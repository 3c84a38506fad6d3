"""Pages opened from the file system, as after downloading the site."""

import re

import pytest
from answering import answer_on, first_of, form_of, right_answer
from built_site import FRONT, REDIRECT, chapter_page, place_of
from page_checks import NO_FONTS_AHEAD, bad_fonts

from why_sqrt_d.exercises import Function, Number

LOADED = """async () => {
  const images = Array.from(document.images);
  for (const image of images) {
    image.loading = "eager";  // far down they would load only when they come near
    await image.decode().catch(() => {});
  }
  return {
    styled: Array.from(document.querySelectorAll("link[rel=stylesheet]")).every(l => l.sheet),
    images: images.filter(i => !i.naturalWidth).map(i => i.src),
  };
}"""


@pytest.fixture
def opened(visit):
    """Open pages from the folder; what else than fonts fails there, fails the test."""
    made = visit(FRONT, source="file")
    yield made
    assert [t for t in made.troubles if not re.search(NO_FONTS_AHEAD, t)] == []


def test_the_front_page_works_and_a_model_is_fetched(opened):
    page = opened.page
    assert bad_fonts(page) == []
    assert page.evaluate(LOADED) == {"styled": True, "images": []}
    page.locator("#fig-sampler .live-say").wait_for()
    opened.go("book/8c-opened-model.html")
    figure = page.locator("#fig-storyteller")
    figure.scroll_into_view_if_needed()
    figure.locator(".live-say").wait_for()
    figure.get_by_role("button", name="Fetch the model").click()  # a script, under the policy
    figure.locator(".live-say").filter(has_text="Head 7 of layer 3").wait_for()
    page.goto(opened.base + REDIRECT)
    page.wait_for_url(opened.base + FRONT)


def test_a_chapter_works_but_asks_for_results_in_place_of_code(opened):
    number, function = (first_of(kind, "1") for kind in (Number, Function))
    opened.go(chapter_page("1"))
    assert bad_fonts(opened.page) == []
    assert opened.page.evaluate(LOADED) == {"styled": True, "images": []}
    form = form_of(opened.page, number)
    form.get_by_role("button", name="Try with other numbers").click()
    form.get_by_text("New numbers stand above, set 1 of 10.").wait_for()
    assert answer_on(opened.page, number, right_answer(number.variants[0])).startswith("✓")
    opened.go(place_of(function.id))
    form = form_of(opened.page, function)
    assert form.locator("textarea").count() == 0
    assert form.get_by_role("button", name="Check").is_visible()
    assert opened.page.get_by_text("Change it and run it here").first.is_hidden()
