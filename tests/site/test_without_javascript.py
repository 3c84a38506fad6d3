"""Without JavaScript a chapter can still be read, with its hints and solutions."""

import pytest
from answering import EXERCISES, form_of
from built_site import ASKED_ON, CHAPTERS

CHAPTER = CHAPTERS[5]  # it has exercises of many kinds and a live figure


def exercises_of(name):
    return [e for e in EXERCISES.values() if ASKED_ON[e.id] == name]


def test_a_chapter_can_be_read(visit):
    page = visit(CHAPTER, javascript=False).page
    mine = exercises_of(CHAPTER)
    for exercise in mine:
        assert not form_of(page, exercise).is_visible()
        box = page.locator(f".exercise-box[data-exercise='{exercise.id}']")
        assert "needs JavaScript" in box.text_content()
    assert not page.locator(".exercise-progress").is_visible()
    solution = page.locator(f"details[data-exercise='{mine[0].id}']").last
    assert not solution.locator("p").first.is_visible()
    solution.locator("summary").click()
    assert solution.locator("p").first.is_visible()
    figures = page.locator(".bd-article .cell_output img")
    assert {e.evaluate("i => i.naturalWidth > 0") for e in figures.all()} == {True}
    assert page.locator("main > * p .katex-html:visible").first.bounding_box()["width"] > 0
    live = page.locator("live-figure")
    whole, still = (part.bounding_box()["height"] for part in (live, live.locator("img")))
    assert whole == pytest.approx(still, abs=40)  # no empty place
