"""The forms of the static page in a browser, opened from file://."""

import demo
import pytest
from axe import violations
from filling import answer_in

from why_sqrt_d.exercises import Order


def test_empty_answers_are_not_wrong(page):
    for exercise in demo.EXERCISES:
        if isinstance(exercise.kind, Order):
            continue
        form = page.locator(f"#exercise-{exercise.id.replace('.', '-')}")
        form.get_by_role("button", name="Check").click()
        assert form.get_by_role("status").inner_text() == "· No answer yet."


def test_keyboard_alone(page):
    field = page.locator("#exercise-0-1-answer")
    field.focus()
    page.keyboard.type("√512")
    page.keyboard.press("Enter")
    assert page.locator("#exercise-0-1 .exercise-status").inner_text().startswith("✓ Right.")
    page.locator("#exercise-0-3-a").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#exercise-0-3 .exercise-status").inner_text() == "✓ Right."


def test_moving_a_step_keeps_focus_and_is_announced(page):
    form = page.locator("#exercise-0-4")
    button = form.get_by_role("button", name="Up: step C")
    button.focus()
    for place in (2, 1):
        page.keyboard.press("Enter")
        assert form.get_by_role("status").inner_text() == f"Step C is now number {place} of 4."
        assert button.evaluate("b => b === document.activeElement")
    page.keyboard.press("Enter")
    assert form.get_by_role("status").inner_text() == "Step C stays number 1 of 4."


def test_keys_stay_inside(page):
    page.evaluate(
        "window.heard = 0; document.addEventListener('keydown', () => { window.heard += 1; })"
    )
    page.locator("#exercise-0-1-answer").press("ArrowLeft")
    assert page.evaluate("window.heard") == 0


def test_hints_open_one_at_a_time(page):
    form = page.locator("#exercise-0-1")
    is_open = "a => a.map(x => x.open)"
    details = page.locator("details[data-exercise='0.1']")
    assert details.evaluate_all(is_open) == [False, False]
    for now in ([True, False], [True, True]):
        form.get_by_role("button", name="Show a hint").click()
        assert details.evaluate_all(is_open) == now
    assert form.get_by_role("status").inner_text() == "Hint 2 (strong) is open below."
    form.get_by_role("button", name="Show a hint").click()
    assert form.get_by_role("status").inner_text() == "All hints are open below."


def progress(page):
    return page.locator(".exercise-progress p").inner_text()


def test_progress_is_remembered_and_cleared(page, context, bare_page):
    count = len(demo.EXERCISES)
    assert progress(page) == f"You have solved 0 of {count} exercises."
    assert answer_in(page, demo.NUMBER, "512").startswith("✗")
    assert progress(page) == f"You have solved 0 of {count} exercises."
    answer_in(page, demo.NUMBER, "√512")
    answer_in(page, demo.CHOICE, "b")
    page.reload()
    assert progress(page) == f"You have solved 2 of {count} exercises."
    assert page.locator("#exercise-0-1 .exercise-solved").inner_text() == "Solved ✓"
    second = context.new_page()
    second.goto(bare_page)
    second.get_by_role("button", name="Clear the progress of chapter 0").click()
    assert progress(second) == f"Cleared. You have solved 0 of {count} exercises."
    page.wait_for_function(
        "document.querySelector('.exercise-progress p').textContent.includes(' 0 of')"
    )
    page.reload()
    assert page.locator("#exercise-0-1 .exercise-solved").inner_text() == ""


@pytest.mark.parametrize("stored", ["{", "null", "[]", "7", '"x"', '{"0.1": {"a": 1}}'])
def test_corrupt_progress_is_tolerated(page, stored):
    page.evaluate("s => localStorage.setItem('why-sqrt-d.exercises', s)", stored)
    page.reload()
    assert answer_in(page, demo.NUMBER, "√512").startswith("✓")
    assert "1 of" in progress(page)


def test_storage_denied(page):
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('denied', 'SecurityError'); } })"
    )
    page.reload()
    assert answer_in(page, demo.NUMBER, "√512").startswith("✓")
    assert "1 of" in progress(page)


def test_without_javascript(browser, bare_page):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(bare_page)
    assert not opened.locator("#exercise-0-1").is_visible()
    assert opened.locator("noscript").first.is_visible()
    assert opened.locator("details[data-exercise='0.1']").first.is_visible()
    context.close()


def test_small_screen_and_touch(page):
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for box in page.locator("button, input[type=text], .exercise-option").all():
        if box.is_visible():
            assert box.bounding_box()["height"] >= 44


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, scheme):
    page.emulate_media(color_scheme=scheme)
    if scheme == "dark":
        page.add_style_tag(content="body { background: #14181e; color: #ced6dd; }")
    answer_in(page, demo.NUMBER, "512")
    answer_in(page, demo.CHOICE, "b")
    assert violations(page) == []


def test_a_guess_is_met_with_the_outcome_and_counts_as_done(page):
    said = answer_in(page, demo.GUESS, "1000")
    assert said.startswith("→ Far: it comes out at 368, and you said 2.717 times as much.")
    assert said.endswith("That would be equal weights. The entropy says why.")
    assert answer_in(page, demo.BET, "a").startswith(
        "→ It comes out as in b, “they learn, later”."
    )
    assert "2 of" in progress(page)
    status = page.locator("#exercise-0-9 .exercise-status")
    assert status.get_attribute("data-verdict") == "guess"


def test_a_trial_is_looked_up_at_the_nearest_number(page):
    assert answer_in(page, demo.TRIAL, "0.5").startswith("✓ Right. At 0.5 ten steps end at 0.")
    near = answer_in(page, demo.TRIAL, "1.7")
    assert near.startswith("✗ At 1.585 ten steps end at 2.3e+03.")
    assert near.endswith("The page has tried 1.585, the nearest number in its table.")
    assert "numbers from 0.001 to 100" in answer_in(page, demo.TRIAL, "1e5")
