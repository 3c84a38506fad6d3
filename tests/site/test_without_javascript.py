"""Without JavaScript a chapter can still be read, with its hints and solutions."""

import re

import pytest
from answering import EXERCISES, form_of
from built_site import CHAPTERS, chapter_page

FIGURES = ".bd-article .cell_output img"


@pytest.fixture(scope="module", params=CHAPTERS)
def page(browser, address, request):
    with browser.new_context(java_script_enabled=False) as context:
        opened = context.new_page()
        opened.goto(address + request.param)
        yield opened


def plain_part(markdown):
    """Return the longest run of words of a Markdown text that holds no markup."""
    markdown = re.sub(r"\$\$.*?\$\$", "$", markdown, flags=re.S)
    bare = re.sub(r"\$[^$]*\$|`[^`]*`|\[?\[[^\]]*\]\([^)]*\)\]?", "$", markdown)
    parts = re.split(r"[$*'\"]|\n\n", bare)
    return " ".join(max(parts, key=len).split())


def words(text):
    return " ".join(text.split())


def test_exercises_can_be_read(page):
    name = page.url.rpartition("/book/")[2]
    mine = [e for e in EXERCISES.values() if chapter_page(e.chapter) == f"book/{name}"]
    text = words(page.locator("main").inner_text())
    for exercise in mine:
        assert f"Exercise {exercise.id}: {exercise.title}" in text
        assert plain_part(exercise.statement) in text
        assert not form_of(page, exercise).is_visible()
        box = page.locator(f".exercise-box[data-exercise='{exercise.id}']")
        assert "needs JavaScript" in box.inner_text()
    assert not page.locator(".exercise-progress").is_visible()


def test_hints_and_solutions_open(page):
    name = page.url.rpartition("/book/")[2]
    mine = [e for e in EXERCISES.values() if chapter_page(e.chapter) == f"book/{name}"]
    assert mine
    for exercise in mine:
        folded = page.locator(f"details[data-exercise='{exercise.id}']")
        texts = [*exercise.hints, exercise.solution.rpartition("```")[2]]
        assert folded.count() == len(texts)
        for part, text in zip(folded.all(), texts, strict=True):
            assert plain_part(text) not in words(part.inner_text())
            part.locator("summary").click()
            assert plain_part(text) in words(part.inner_text())


def test_figures_and_formulas_are_shown(page):
    assert all(page.locator(FIGURES).evaluate_all("a => a.map(i => i.naturalWidth > 0)"))
    assert page.locator(FIGURES).count() > 0
    boxes = page.locator("main p .katex-html").evaluate_all(
        "a => a.filter(e => !e.closest('details')).map(e => e.getBoundingClientRect().width)"
    )
    assert boxes
    assert min(boxes) > 0


def test_live_figures_show_their_still_picture(page):
    for figure in page.locator("live-figure").all():
        assert figure.locator("img").evaluate("i => i.naturalWidth") > 0
        assert len(figure.locator("img").get_attribute("alt")) >= 40
