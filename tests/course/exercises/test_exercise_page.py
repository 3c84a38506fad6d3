"""The forms of the static page in a browser, opened from file://."""

import demo
import pytest
from axe import violations
from filling import answer_in
from waiting import wait_until

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


def progress(page):
    return page.locator(".exercise-progress p").inner_text()


def press(page, name):
    """Press a button of the progress line, which may be folded."""
    page.locator(".exercise-progress details").evaluate("d => { d.open = true; }")
    page.locator(".exercise-progress").get_by_role("button", name=name, exact=True).click()


def solved(page, place):
    return page.locator(f"#exercise-0-{place} .exercise-solved").inner_text()


def test_answers_are_brought_back_kept_in_two_tabs_cleared_and_restored(
    page, context, bare_page, tmp_path
):
    count = len(demo.EXERCISES)
    none, two = (f"You have solved {n} of {count} exercises." for n in (0, 2))
    assert progress(page) == none
    assert answer_in(page, demo.NUMBER, "512").startswith("✗")
    assert progress(page) == none
    answer_in(page, demo.NUMBER, "√512")
    answer_in(page, demo.CHOICE, "b")
    answer_in(page, demo.ORDER, "BCAD")
    page.locator("#exercise-0-6-answer").fill("0.1 0.2")  # typed, and not checked
    given = """() => [...document.querySelectorAll('#exercise-0-1-answer, #exercise-0-6-answer')]
      .map(e => e.value).concat(document.querySelector('#exercise-0-3 input:checked')?.value,
        [...document.querySelectorAll('#exercise-0-4 li')].map(e => e.dataset.letter).join(''))"""
    kept = ["√512", "0.1 0.2", "b", "BCAD"]
    page.reload()
    assert progress(page) == two
    assert solved(page, 1) == "Solved ✓"
    assert page.evaluate(given) == kept

    second = context.new_page()  # one with two tabs
    second.goto(bare_page)
    assert second.evaluate(given) == kept
    answer_in(second, demo.NEGATIVE, "-ln 2")
    wait_until(
        page,
        "document.querySelector('#exercise-0-2-answer').value === '-ln 2' &&"
        " document.querySelector('.exercise-progress p').textContent.includes(' 3 of')",
    )
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
    assert page.evaluate(given) == ["", "", None, "ABCD"]
    wait_until(second, "document.querySelector('#exercise-0-6-answer').value === ''")
    answer_in(page, demo.NUMBER, "512")
    press(page, "Undo")
    assert " 3 of " in progress(page)
    assert page.evaluate(given) == ["512", *kept[1:]]  # what was answered since then stays

    page.once("dialog", lambda dialog: dialog.accept())
    press(page, "Clear chapter 0")
    page.locator("input[type=file]").set_input_files(file)
    wait_until(page, "document.body.textContent.includes('Loaded 5 answers.')")
    assert " 3 of " in progress(page)
    assert page.evaluate(given) == kept
    other = tmp_path / "other.json"
    for text in ("{", "[]", '{"course": "another"}', '{"course": "why-sqrt-d", "exercises": 1}'):
        other.write_text(text)
        page.locator("input[type=file]").set_input_files(other)
        wait_until(page, "document.body.textContent.includes('That file holds no answers')")
        assert page.evaluate(given) == kept


def test_other_numbers(page):
    """Statement, hints, reference and sentences follow; the draw survives a reload."""
    form = page.locator("#exercise-0-1")
    assert page.get_by_role("button", name="Try with other numbers").count() == 1
    for number, other in enumerate(demo.NUMBER.variants, 1):
        form.get_by_role("button", name="Try with other numbers").click()
        assert form.get_by_role("status").inner_text().endswith(f"set {number} of 10.")
        d = other.wrong[0].answer
        assert answer_in(page, other, str(d)).startswith("✗ That is the variance")
        assert answer_in(page, other, f"√{d}") == f"✓ Right. The variance is {d}."
        if number == 2:
            assert f"d = {d}." in page.locator(".exercise-drawn").first.inner_text()
            folded = "details[data-exercise='0.1'] .exercise-drawn"
            assert str(d) in page.locator(folded).nth(1).text_content()
            page.reload()
            assert f"d = {d}." in page.locator(".exercise-drawn").first.inner_text()
            assert form.locator("input").input_value() == f"√{d}"
    form.get_by_role("button", name="Try with other numbers").click()
    assert form.get_by_role("status").inner_text() == "The first numbers are back."
    assert page.locator(".exercise-drawn").count() == 0
    assert answer_in(page, demo.NUMBER, "√512").startswith("✓")


def test_corrupt_progress_is_tolerated(page):
    for stored in ("{", "null", "[]", "7", '"x"', '{"0.1": {"a": 1}, "0.3": [], "0.4": null}'):
        page.evaluate("s => localStorage.setItem('why-sqrt-d.exercises', s)", stored)
        page.reload()
        assert answer_in(page, demo.NUMBER, "√512").startswith("✓")
        assert "1 of" in progress(page)


@pytest.mark.parametrize(
    "broken",
    [
        "Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('denied', 'SecurityError'); } })",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }",
    ],
    ids=["denied", "full"],
)
def test_without_storage_an_answer_counts_for_the_visit_and_it_is_said(page, broken):
    page.add_init_script(broken)
    page.reload()
    assert answer_in(page, demo.NUMBER, "√512").startswith("✓")
    answer_in(page, demo.CHOICE, "b")
    assert "2 of" in progress(page)
    assert "cannot store that" in progress(page)
    assert solved(page, 1) == "Solved ✓"


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


def test_a_wrong_answer_leads_back_to_the_passage(page):
    box = page.locator("[data-exercise='0.6'] form")
    link = box.locator(".exercise-status a")
    there = ["softmax.html#sum"]
    for answer, hrefs in (("1 2 7", there), ("", []), ("1 foo", []), ("0.1 0.2 0.7", [])):
        box.locator("input[name=answer]").fill(answer)
        box.locator("button[type=submit]").click()
        assert [one.get_attribute("href") for one in link.all()] == hrefs


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
