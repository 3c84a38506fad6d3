"""The search: one way in, and it finds a word, on a server and on the file system."""

import pytest
from built_site import FRONT, chapter_page
from waiting import wait_until

WORD = "kurtosis"
WAYS_IN = "button.search-button__button, input[type=search], input[type=text][name=q]"


@pytest.mark.parametrize("name", [FRONT, chapter_page("1"), "search.html"])
def test_one_way_to_search_is_visible(visit, name):
    page = visit(name).page
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        seen = [way for way in page.locator(WAYS_IN).all() if way.is_visible()]
        assert len(seen) == 1, (width, [way.evaluate("e => e.outerHTML") for way in seen])


@pytest.mark.parametrize(("source", "width"), [("http", 360), ("file", 1280)])
def test_a_word_is_found_through_the_dialog(visit, source, width):
    opened = visit(FRONT, source=source, width=width)
    page = opened.page
    page.locator("button.search-button__button:visible").first.click()
    page.locator("dialog input[type=search]").fill(WORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    target = "2a-exact-law.html"
    result = page.locator(f"#search-results li a[href*='{target}']").first
    result.wait_for()
    assert source == "file" or opened.troubles == []
    result.click()
    page.wait_for_url(f"**/{target}*")
    assert WORD in page.locator("main").inner_text().lower()


def results(visit, words):
    """Search and return the results as Sphinx has found them, with their excerpts."""
    page = visit(f"search.html?q={words}").page
    page.locator("#search-results p.search-summary:has-text('found')").wait_for()
    wait_until(
        page,
        "document.querySelectorAll('#search-results li').length > 0 &&"
        " document.querySelector('#search-results li:first-child').children.length > 1",
    )
    return page.locator("#search-results li")


def test_the_course_comes_before_the_package_and_excerpts_are_cut_from_the_text(visit):
    for words, target, excerpt in (
        ("beta", "book/glossary.html#term-scale", "multiplies the scores"),
        ("β", "book/glossary.html#term-scale", "multiplies the scores"),
        ("softmax_jacobian", "book/api/weights.html", ""),
        ("Dot products grow", "book/01-dot-products-grow.html", "dot product"),
        ("Theorem 2.1", "book/02-variance-proof.html#thm-variance", "covariance"),
        ("figure 4.5", "book/04-gradient-flow.html#figure-4-5", "small rates"),
        ("Exercise 3.2", "book/03-softmax-saturation.html#asked-3-2", ""),
    ):
        first = results(visit, words).first
        assert target in first.locator("a").first.evaluate("e => e.href")
        assert excerpt in first.inner_text()
    found = results(visit, WORD)
    found.last.locator("p.context, span").first.wait_for()
    texts = found.locator("p.context").all_inner_texts()
    assert len(texts) > 5
    assert min(map(len, texts)) > 20
    for menu in ("Contents", "Skip to main", ".ipynb", ".pdf", "Print to PDF", "min to read"):
        assert not any(menu in text for text in texts)
