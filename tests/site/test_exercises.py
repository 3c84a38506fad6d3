"""The exercises on their chapters' pages: asked once, answered, drawn again, counted."""

import json
from functools import partial

import pytest
from answering import (
    EXERCISES,
    UNFOLD,
    answer_on,
    first_of,
    form_id,
    form_of,
    letters_shown,
    right_answer,
    status_of,
    wrong_answers,
)
from axe import violations
from built_site import ASKED_ON, DEEPER, PAGES, chapter_page, place_of, soup
from visiting import ICON, SETTLED
from waiting import wait_until

from why_sqrt_d.exercises import (
    Array,
    Choice,
    Number,
    Order,
    PredictChoice,
    PredictNumber,
)

# What a browser asks for in its own time: figures that come near, fonts, the page's icon.
FETCHED_LATE = ("/_images/", ".woff2", ICON)
HEIGHTS = "a => a.map(e => e.getBoundingClientRect().height)"  # nothing, if it is not shown
DRAWN = EXERCISES["1.10"]


@pytest.mark.parametrize("name", PAGES)
def test_each_form_stands_once_on_its_own_page_with_what_it_is_judged_by(name):
    page = soup(name)
    assert page.select("div.exercise-form") == []  # a placeholder that nothing filled
    mine = {e.id: e for e in EXERCISES.values() if ASKED_ON[e.id] == name}
    asked = [box["data-exercise"] for box in page.select(".exercise-box[data-exercise]")]
    assert sorted(asked) == sorted(mine)
    for found in mine.values():
        (script,) = page.select(f"form#{form_id(found)} script[type='application/json']")
        shown = json.loads(script.string)
        assert shown.pop("draws") == (10 if found.others else 0)
        assert shown == json.loads(json.dumps(found.spec()))
        folds = page.select(f"details[data-exercise='{found.id}']")
        assert len(folds) == len(found.hints) + 1  # and the solution
    assert len(page.select(".exercise-progress")) == bool(mine)


@pytest.mark.parametrize(
    ("chapter", "kinds"),
    [
        ("4", (Array,)),
        ("5", (PredictChoice,)),
        ("6", (Number, Choice, Order, PredictNumber)),
    ],
)
def test_an_answer_given_by_hand_is_met_and_stays_on_the_page(visit, chapter, kinds):
    opened = visit(chapter_page(chapter))
    before = len(opened.requests)
    for kind in kinds:
        exercise = first_of(kind, chapter)
        form, status = form_of(opened.page, exercise), partial(status_of, opened.page, exercise)
        if kind is not Order:
            form.evaluate(UNFOLD)
            form.get_by_role("button", name="Check").click()
            assert status() == "· No answer yet."
        wrong, right = ("→", "→") if kind in (PredictNumber, PredictChoice) else ("✗", "✓")
        for answer, sentence in wrong_answers(exercise)[:2]:
            said = answer_on(opened.page, exercise, answer)
            assert said.startswith(wrong), answer
            assert sentence in said
        said = answer_on(opened.page, exercise, right_answer(exercise))
        assert said.startswith(right)
        assert said.endswith(exercise.praise)
        assert ("Right, after 2 others: " in said) == (kind is Choice)
    after = [url for url in opened.requests[before:] if not any(n in url for n in FETCHED_LATE)]
    assert after == [], "an answer must not leave the page"
    assert opened.troubles == []


def test_a_wrong_answer_leads_back_to_the_passage_and_a_right_one_on(visit):
    deeper = [e for e in EXERCISES.values() if ASKED_ON[e.id] in DEEPER]
    found = next(e for e in deeper if e.passage and type(e.kind) is Number)
    page = visit(place_of(found.id)).page
    links = form_of(page, found).locator(".exercise-status a")
    spec = found.spec()
    for answer, wanted in (
        (wrong_answers(found)[0][0], spec["passage"]),
        ("", []),
        ("√d", []),
        (right_answer(found), spec["links"]),
    ):
        answer_on(page, found, answer)
        assert [one.get_attribute("href") for one in links.all()] == [to for _, to in wanted]
    form_of(page, found).locator("input").fill("3")
    assert status_of(page, found) == ""  # a verdict is on what was checked


def test_a_verdict_can_be_read_and_a_finger_hits(visit):
    page = visit(chapter_page("3"), width=320).page
    number, choice = first_of(Number, "3"), first_of(Choice, "3")
    answer_on(page, number, wrong_answers(number)[0][0])
    answer_on(page, choice, right_answer(choice))
    for theme, exercise in (("light", number), ("dark", choice)):
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLED)
        assert violations(page, f"form#{form_id(exercise)}") == []
    boxes = page.locator("form button, form input[type=text], .exercise-option")
    assert min(h for h in boxes.evaluate_all(HEIGHTS) if h) >= 44


def test_a_bet_covers_its_outcome_until_it_is_made_or_asked_for(visit):
    page = visit(chapter_page("5")).page
    covers = page.locator(".exercise-cover")

    def shown():
        return [n for n in (1, 2) if page.locator(f"#figure-5-{n}").is_visible()]

    assert (shown(), covers.count()) == ([], 4)
    answer_on(page, EXERCISES["5.0"], right_answer(EXERCISES["5.0"]))
    assert (shown(), covers.count()) == ([1], 3)
    page.evaluate("location.hash = 'figure-5-2'")
    page.locator("#figure-5-2").wait_for()
    page.reload()
    page.evaluate(SETTLED)
    assert shown() == [1, 2]  # the bet that was made, and where the address leads
    page = visit(chapter_page("4")).page
    covers = page.locator(".exercise-cover")
    assert not page.locator("#figure-4-1").is_visible()
    covers.get_by_role("button").click()
    assert page.locator("#figure-4-1").is_visible()
    page = visit(chapter_page("4")).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".exercise-cover").count() == 0
    page = visit(chapter_page("8")).page  # a box without a form covers a figure, too
    figure = page.locator("#figure-8-1")
    assert not figure.is_visible()
    page.get_by_role("button", name="show what happens").first.click()
    assert figure.is_visible()


def test_other_numbers_come_when_asked_with_formulas_as_on_the_page(visit):
    opened = visit(place_of(DRAWN.id))
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
    for _ in DRAWN.variants:
        form.get_by_role("button", name="Try with other numbers").click()
    form.get_by_text("The first numbers are back.").wait_for()
    assert drawn.count() == 0
    assert answer_on(opened.page, DRAWN, right_answer(DRAWN)).startswith("✓ Right.")


def counted(page):
    return page.locator(".exercise-progress [role=status]").inner_text()


def press(page, name):
    """Press a button of the progress line, which is folded."""
    page.locator(".exercise-progress details").evaluate("d => { d.open = true; }")
    page.locator(".exercise-progress").get_by_role("button", name=name).click()


def test_answers_are_kept_counted_saved_cleared_and_restored(visit, tmp_path):
    """By chapter, over pages, and in two tabs."""
    first, choice, other = first_of(Number, "3"), first_of(Choice, "3"), EXERCISES["2.7"]
    opened = visit(ASKED_ON["2.7"])
    page, total = opened.page, sum(e.chapter == "2" for e in EXERCISES.values())
    assert counted(page) == f"You have solved 0 of {total} exercises, deeper pages included."
    answer_on(page, other, right_answer(other))
    opened.go(chapter_page("3"))
    assert " 0 of " in counted(page)
    wrong = wrong_answers(choice)[0][0]
    for exercise, answer in ((first, right_answer(first)), (choice, wrong)):
        answer_on(page, exercise, answer)

    def fields(page):
        chosen = form_of(page, choice).locator("input:checked")
        return form_of(page, first).locator("input").input_value(), chosen.count()

    page.reload()
    assert " 1 of " in counted(page)
    assert form_of(page, first).locator(".exercise-solved").inner_text() == "Solved ✓"
    assert fields(page) == (right_answer(first), 1)

    second = page.context.new_page()  # one with two tabs
    second.goto(page.url)
    assert fields(second) == fields(page)
    with page.expect_download() as saved:
        press(page, "Save to a file")
    saved.value.save_as(tmp_path / "saved.json")
    for answer, said in (("dismiss", "You have solved 1 "), ("accept", "Cleared. ")):
        page.once("dialog", lambda dialog, answer=answer: getattr(dialog, answer)())
        press(page, "Clear chapter 3")
        assert counted(page).startswith(said)
    assert fields(page) == ("", 0)
    wait_until(second, "!document.querySelector('.exercise-option input:checked')")

    (tmp_path / "other.json").write_text('{"course": "why-sqrt-d", "exercises": 1}')
    given = page.locator(".exercise-progress input[type=file]")
    for file, said in (("saved", "Loaded 3 answers."), ("other", "That file holds no answers")):
        given.set_input_files(tmp_path / f"{file}.json")
        wait_until(page, f"document.body.textContent.includes('{said}')")
        assert fields(page) == (right_answer(first), 1)
    opened.go(ASKED_ON["2.7"])
    assert counted(page) == f"You have solved 1 of {total} exercises, deeper pages included."
    for stored in ("{", "null", '{"2.3": {"a": 1}, "2.4": [], "2.7": null}'):
        page.evaluate("s => localStorage.setItem('why-sqrt-d.exercises', s)", stored)
        assert answer_on(page, other, right_answer(other)).startswith("✓")
        assert " 1 of " in counted(page)


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
    """A choice, an order and a number, starting from the top of their page."""
    choice, order, number = (first_of(kind, "3") for kind in (Choice, Order, Number))
    page = visit(chapter_page("3")).page
    tab_to(page, f"#{form_id(choice)} input[type=radio]")
    page.keyboard.press("Space")
    while page.evaluate("document.activeElement.value") != right_answer(choice):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert status_of(page, choice).startswith("✓ Right.")

    form, inside = form_of(page, order), f"#{form_id(order)}"
    *before, last = letters_shown(form)
    tab_to(page, f"{inside} button[aria-label='Up: step {last}']")
    for key in ("Enter", "Space"):  # the step takes the focus along
        page.keyboard.press(key)
    assert letters_shown(form) == "".join([*before[:-2], last, *before[-2:]])
    tab_to(page, f"{inside} button[type=submit]")
    page.keyboard.press("Space")
    assert status_of(page, order)[0] in "✗✓"

    tab_to(page, f"#{form_id(number)}-answer")
    page.keyboard.type(right_answer(number))
    page.keyboard.press("Enter")
    assert status_of(page, number).startswith("✓ Right.")
