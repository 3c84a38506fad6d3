"""The forms of the static page in a browser, opened from file://."""

import demo
import pytest
from answering import answer_on, form_of
from axe import violations
from waiting import wait_until

from why_sqrt_d.exercises import Order

FILLED = """() => [...document.querySelectorAll('#exercise-0-1-answer, #exercise-0-6-answer')]
  .map(e => e.value).concat(document.querySelector('#exercise-0-3 input:checked')?.value,
    [...document.querySelectorAll('#exercise-0-4 li')].map(e => e.dataset.letter).join(''))"""


def progress(page):
    return page.locator(".exercise-progress p").inner_text()


def press(page, name):
    """Press a button of the progress line, which may be folded."""
    page.locator(".exercise-progress details").evaluate("d => { d.open = true; }")
    page.locator(".exercise-progress").get_by_role("button", name=name, exact=True).click()


def test_each_kind_answers_and_an_empty_answer_is_not_wrong(page):
    for exercise in demo.EXERCISES:
        if not isinstance(exercise.kind, Order):
            form_of(page, exercise).get_by_role("button", name="Check").click()
            status = form_of(page, exercise).get_by_role("status").inner_text()
            assert status == "· No answer yet."
    right = {"0.1": "√512", "0.2": "-ln 2", "0.3": "b", "0.4": "DCBA", "0.6": "0.1 0.2 0.7"}
    right |= {"0.7": "1 2 3; 4 5 6", "0.9": "370", "0.10": "a", "0.11": "0.5"}
    for exercise in demo.EXERCISES:
        if exercise.id in right:
            said = answer_on(page, exercise, right[exercise.id])
            assert said.startswith("→" if exercise.id in ("0.9", "0.10") else "✓ Right."), said
    assert f" {len(right)} of " in progress(page)
    near = answer_on(page, demo.TRIAL, "1.7")
    assert near.startswith("✗ At 1.585 ten steps end at 2.3e+03.")
    assert near.endswith("The page has tried 1.585, the nearest number in its table.")
    assert "numbers from 0.001 to 100" in answer_on(page, demo.TRIAL, "1e5")


def test_answers_are_brought_back_kept_in_two_tabs_cleared_and_restored(
    page, context, bare_page, tmp_path
):
    none, two = (f"You have solved {n} of {len(demo.EXERCISES)} exercises." for n in (0, 2))
    assert answer_on(page, demo.NUMBER, "512").startswith("✗")
    assert progress(page) == none
    answer_on(page, demo.NUMBER, "√512")
    answer_on(page, demo.CHOICE, "b")
    answer_on(page, demo.ORDER, "BCAD")
    page.locator("#exercise-0-6-answer").fill("0.1 0.2")  # typed, and not checked
    kept = ["√512", "0.1 0.2", "b", "BCAD"]
    page.reload()
    assert progress(page) == two
    assert form_of(page, demo.NUMBER).locator(".exercise-solved").inner_text() == "Solved ✓"
    assert page.evaluate(FILLED) == kept

    second = context.new_page()  # one with two tabs
    second.goto(bare_page)
    assert second.evaluate(FILLED) == kept
    answer_on(second, demo.NEGATIVE, "-ln 2")
    wait_until(page, "document.querySelector('#exercise-0-2-answer').value === '-ln 2'")
    with page.expect_download() as saved:
        press(page, "Save to a file")
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)

    page.once("dialog", lambda dialog: dialog.dismiss())
    press(page, "Clear chapter 0")
    assert " 3 of " in progress(page)
    page.once("dialog", lambda dialog: dialog.accept())
    press(page, "Clear chapter 0")
    assert progress(page) == f"Cleared. {none}"
    assert page.evaluate(FILLED) == ["", "", None, "ABCD"]
    wait_until(second, "document.querySelector('#exercise-0-6-answer').value === ''")
    answer_on(page, demo.NUMBER, "512")
    press(page, "Undo")
    assert page.evaluate(FILLED) == ["512", *kept[1:]]  # what was answered since then stays

    page.locator("input[type=file]").set_input_files(file)
    wait_until(page, "document.body.textContent.includes('Loaded 5 answers.')")
    assert page.evaluate(FILLED) == kept
    other = tmp_path / "other.json"
    for text in ("{", "[]", '{"course": "another"}', '{"course": "why-sqrt-d", "exercises": 1}'):
        other.write_text(text)
        page.locator("input[type=file]").set_input_files(other)
        wait_until(page, "document.body.textContent.includes('That file holds no answers')")
        assert page.evaluate(FILLED) == kept


def test_the_first_numbers_come_back_after_the_last(page):
    """Reference and sentences follow each draw."""
    form = form_of(page, demo.NUMBER)
    assert page.get_by_role("button", name="Try with other numbers").count() == 1
    for number, other in enumerate((*demo.NUMBER.variants, demo.NUMBER), 1):
        form.get_by_role("button", name="Try with other numbers").click()
        form.get_by_text(
            "first numbers are back" if number > 10 else f"set {number} of"
        ).wait_for()
        d = other.wrong[0].answer
        assert answer_on(page, other, str(d)).startswith("✗ That is the variance")
        assert answer_on(page, other, f"√{d}") == f"✓ Right. The variance is {d}."
    assert page.locator(".exercise-drawn").count() == 0


def test_corrupt_progress_is_tolerated(page):
    for stored in ("{", "null", "[]", "7", '"x"', '{"0.1": {"a": 1}, "0.3": [], "0.4": null}'):
        page.evaluate("s => localStorage.setItem('why-sqrt-d.exercises', s)", stored)
        page.reload()
        assert answer_on(page, demo.NUMBER, "√512").startswith("✓")
        assert "1 of" in progress(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_finger_hits(page, scheme):
    page.emulate_media(color_scheme=scheme)
    if scheme == "dark":
        page.add_style_tag(content="body { background: #14181e; color: #ced6dd; }")
    answer_on(page, demo.NUMBER, "512")
    answer_on(page, demo.CHOICE, "b")
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for box in page.locator("button, input[type=text], .exercise-option").all():
        if box.is_visible():
            assert box.bounding_box()["height"] >= 44


def test_a_wrong_answer_leads_back_to_the_passage(page):
    link = form_of(page, demo.ARRAY).locator(".exercise-status a")
    there = ["softmax.html#sum"]
    for answer, hrefs in (("1 2 7", there), ("", []), ("1 foo", []), ("0.1 0.2 0.7", [])):
        answer_on(page, demo.ARRAY, answer)
        assert [one.get_attribute("href") for one in link.all()] == hrefs
