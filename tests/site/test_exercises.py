"""The exercises on their chapters' pages: asked once, answered, drawn again, counted."""

import json

import pytest
from answering import (
    EXERCISES,
    answer_on,
    first_of,
    form_id,
    form_of,
    letters_shown,
    right_answer,
    status_of,
    wrong_answers,
)
from built_site import CHAPTERS, PAGES, chapter_page, soup
from visiting import ICON

from why_sqrt_d.exercises import Array, Choice, Function, Number, Order

# What a browser asks for in its own time: figures that come near, fonts, the page's icon.
FETCHED_LATE = ("/_images/", ".woff2", ICON)
DRAWN = next(e for e in EXERCISES.values() if e.others and "\\sqrt" in e.statement + e.solution)


@pytest.mark.parametrize("name", PAGES)
def test_each_form_stands_once_on_its_own_page_with_what_it_is_judged_by(name):
    page = soup(name)
    assert page.select("div.exercise-form") == []  # a placeholder that nothing filled
    mine = {e.id: e for e in EXERCISES.values() if chapter_page(e.chapter) == name}
    shown = [box["data-exercise"] for box in page.select(".exercise-box[data-exercise]")]
    assert sorted(shown) == sorted(mine)
    for found in mine.values():
        (script,) = page.select(f"form#{form_id(found)} script[type='application/json']")
        spec = {**found.spec(), "draws": len(found.variants)}
        assert json.loads(script.string) == json.loads(json.dumps(spec))
    for place in page.select(".exercise-progress"):
        assert "exercise" in place.find_previous_sibling()["class"]
        assert place.find_next_siblings(class_="exercise") == []
    assert len(page.select(".exercise-progress")) == (name in CHAPTERS)


@pytest.mark.parametrize("kind", [Number, Array, Choice, Order, Function])
def test_an_answer_given_by_hand_is_met_and_stays_on_the_page(visit, kind):
    exercise = first_of(kind)
    opened = visit(chapter_page(exercise.chapter))
    before = len(opened.requests)
    for answer, sentence in wrong_answers(exercise)[:2]:
        assert answer_on(opened.page, exercise, answer).startswith(f"✗ {sentence}"), answer
    said = answer_on(opened.page, exercise, right_answer(exercise))
    assert said.startswith(f"✓ Right. {exercise.praise}")
    after = [url for url in opened.requests[before:] if not any(n in url for n in FETCHED_LATE)]
    assert after == [], "an answer must not leave the page"
    assert opened.troubles == []


@pytest.mark.parametrize("source", ["http", "file"])
def test_other_numbers_come_when_asked_with_formulas_as_on_the_page(visit, source):
    opened = visit(chapter_page(DRAWN.chapter), source=source)
    form, other = form_of(opened.page, DRAWN), DRAWN.variants[0]
    assert not any("drawn-" in url for url in opened.requests)
    form.get_by_role("button", name="Try with other numbers").click()
    form.get_by_text("New numbers stand above, set 1 of 10.").wait_for()
    drawn = opened.page.locator(".exercise-drawn")
    assert opened.page.locator(".exercise-drawn .katex").count() >= 1
    assert "$" not in drawn.first.inner_text()
    assert answer_on(opened.page, DRAWN, right_answer(other)).startswith("✓ Right.")
    opened.page.reload()
    drawn.first.wait_for()  # the draw is kept, and so is its answer
    assert form.locator("input").input_value() == right_answer(other)


def counted(page):
    return page.locator(".exercise-progress [role=status]").inner_text()


def clear(page):
    """Clear the chapter's answers, which asks first."""
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator(".exercise-progress details").evaluate("d => { d.open = true; }")
    page.locator(".exercise-progress [data-do=clear]").click()


def test_what_is_solved_is_remembered_counted_by_chapter_and_cleared(visit):
    first, other = first_of(Number, "1"), first_of(Number, "2")
    opened = visit(chapter_page("2"))
    page, total = opened.page, sum(e.chapter == "2" for e in EXERCISES.values())
    assert counted(page) == f"You have solved 0 of {total} exercises."
    answer_on(page, other, right_answer(other))
    opened.go(chapter_page("1"))
    assert " 0 of " in counted(page)
    answer_on(page, first, right_answer(first))
    page.reload()
    assert " 1 of " in counted(page)
    assert form_of(page, first).locator(".exercise-solved").inner_text() == "Solved ✓"
    assert form_of(page, first).locator("input").input_value() == right_answer(first)
    clear(page)
    page.reload()
    assert " 0 of " in counted(page)
    opened.go(chapter_page("2"))
    assert counted(page) == f"You have solved 1 of {total} exercises."


def tab_to(page, selector, key="Tab"):
    """Press Tab until the element has the focus; the focus must be visible there."""
    for _ in range(400):
        if page.evaluate("e => document.activeElement.matches(e)", selector):
            assert page.evaluate(
                "getComputedStyle(document.activeElement).outlineStyle !== 'none' ||"
                " getComputedStyle(document.activeElement).boxShadow !== 'none'"
            ), f"no visible focus on {selector}"
            return
        page.keyboard.press(key)
    raise AssertionError(f"400 times {key} did not reach {selector}")


def test_exercises_with_the_keyboard_alone(visit):
    """A number, a choice and an order, starting from the top of their pages."""
    number, choice, order = map(first_of, (Number, Choice, Order))
    opened = visit(chapter_page(number.chapter))
    page = opened.page
    tab_to(page, f"#{form_id(number)}-answer")
    page.keyboard.type(right_answer(number))
    page.keyboard.press("Enter")
    assert status_of(page, number).startswith("✓ Right.")

    opened.go(chapter_page(choice.chapter))
    tab_to(page, f"#{form_id(choice)} input[type=radio]")
    page.keyboard.press("Space")
    while page.evaluate("document.activeElement.value") != right_answer(choice):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert status_of(page, choice).startswith("✓ Right.")

    form, wanted, inside = form_of(page, order), right_answer(order), f"#{form_id(order)}"
    opened.go(chapter_page(order.chapter))
    tab_to(page, f"{inside} button")
    for place, letter in enumerate(wanted):
        now = letters_shown(form)
        if now.index(letter) == place:
            continue
        focused = page.evaluate("document.activeElement.closest('li').dataset.letter")
        key = "Tab" if now.index(focused) <= now.index(letter) else "Shift+Tab"
        tab_to(page, f"{inside} button[aria-label='Up: step {letter}']", key)
        for press in range(now.index(letter) - place):
            page.keyboard.press("Enter" if press % 2 else "Space")
    assert letters_shown(form) == wanted
    tab_to(page, f"{inside} button[type=submit]")
    page.keyboard.press("Space")
    assert status_of(page, order).startswith("✓ Right.")
