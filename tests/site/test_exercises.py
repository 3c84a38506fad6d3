"""Each exercise on its chapter's page: the form is there once and answers as `check` does."""

import pytest
from answering import EXERCISES, answer_on, first_of, form_id, right_answer, wrong_answers
from built_site import CHAPTERS, PAGES, chapter_page, soup
from visiting import ICON

from why_sqrt_d.exercises import Array, Choice, Function, Number, Order, check

# What a browser asks for in its own time: figures that come near, fonts, the page's icon.
FETCHED_LATE = ("/_images/picture-", ".woff2", ICON)
JUDGED = """answers => answers.map(([id, answer]) => {
  const spec = JSON.parse(document.querySelector(
    `form#${id} script[type='application/json']`).textContent);
  return window.whySqrtDExercises.judge(spec, answer).message;
})"""


@pytest.mark.parametrize("name", PAGES)
def test_each_form_stands_once_on_its_own_page(name):
    page = soup(name)
    assert page.select("div.exercise-form") == []  # a placeholder that nothing filled
    mine = [e for e in EXERCISES.values() if chapter_page(e.chapter) == name]
    # On a chapter's line some come before others that have a smaller number.
    shown = [box["data-exercise"] for box in page.select(".exercise-box[data-exercise]")]
    assert sorted(shown) == sorted(e.id for e in mine)
    assert all(len(page.select(f"form#{form_id(e)}")) == 1 for e in mine)


def verdict_of(exercise):
    live = exercise.kind.reference if isinstance(exercise.kind, Function) else None
    verdict = check(exercise.id, live or exercise.kind.right_answers()[0])
    assert verdict.passed
    return verdict


@pytest.mark.parametrize("name", CHAPTERS)
def test_page_says_what_the_live_check_says(visit, name):
    """Every known answer to every exercise of the chapter, judged by the page's own script."""
    answers, expected = [], []
    for exercise in EXERCISES.values():
        if chapter_page(exercise.chapter) == name:
            wrong = [(a, said[2:]) for a, said in wrong_answers(exercise)]
            assert len(wrong) >= 2
            right = (right_answer(exercise), verdict_of(exercise).message)
            answers += [(form_id(exercise), answer) for answer, _ in (*wrong, right)]
            expected += [(exercise.id, said, False) for _, said in wrong]
            expected.append((exercise.id, right[1], True))
    said = visit(name).page.evaluate(JUDGED, answers)
    # A right function is praised on the page for the value that it gives, in words of its own.
    for (identity, wanted, praised), found in zip(expected, said, strict=True):
        assert found.startswith(wanted) if praised else found == wanted, identity


@pytest.mark.parametrize("kind", [Number, Array, Choice, Order, Function])
def test_an_answer_given_by_hand_is_met_and_stays_on_the_page(visit, kind):
    exercise = first_of(kind)
    opened = visit(chapter_page(exercise.chapter))
    before = len(opened.requests)
    for answer, sentence in wrong_answers(exercise)[:2]:
        assert answer_on(opened.page, exercise, answer).startswith(sentence), answer
    said = answer_on(opened.page, exercise, right_answer(exercise))
    assert said.startswith(f"✓ {verdict_of(exercise).message}")
    after = [url for url in opened.requests[before:] if not any(n in url for n in FETCHED_LATE)]
    assert after == [], "an answer must not leave the page"
    assert opened.troubles == []
