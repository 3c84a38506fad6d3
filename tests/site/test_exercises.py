"""Each exercise on its chapter's page: the form is there once and answers as `check` does."""

import pytest
from answering import EXERCISES, answer_on, form_id, right_answer, wrong_answers
from built_site import CHAPTERS, PAGES, chapter_page, soup
from visiting import ICON

from why_sqrt_d.exercises import Function, check

# What a browser asks for in its own time: figures that come near, and the page's icon.
FETCHED_LATE = ("/_images/picture-", ICON)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_form_stands_once_on_its_own_page(exercise):
    found = {name: len(soup(name).select(f"form#{form_id(exercise)}")) for name in PAGES}
    assert {name: n for name, n in found.items() if n} == {chapter_page(exercise.chapter): 1}


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_placeholder_and_no_stranger_is_on_the_page(name):
    assert soup(name).select("div.exercise-form") == []
    on_page = {box["data-exercise"] for box in soup(name).select(".exercise-box")}
    assert on_page == {e.id for e in EXERCISES.values() if chapter_page(e.chapter) == name}


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_page_says_what_the_live_check_says(visit, exercise):
    opened = visit(chapter_page(exercise.chapter))
    before = len(opened.requests)
    wrong = wrong_answers(exercise)
    assert len(wrong) >= 2
    for answer, sentence in wrong:
        assert answer_on(opened.page, exercise, answer) == sentence, answer
    live = exercise.kind.reference if isinstance(exercise.kind, Function) else None
    verdict = check(exercise.id, live or exercise.kind.right_answers()[0])
    assert verdict.passed
    said = answer_on(opened.page, exercise, right_answer(exercise))
    assert said.startswith(f"✓ {verdict.message}")
    after = [url for url in opened.requests[before:] if not any(n in url for n in FETCHED_LATE)]
    assert after == [], "an answer must not leave the page"
    assert opened.troubles == []
