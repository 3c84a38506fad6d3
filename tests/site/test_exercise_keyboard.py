"""Exercises solved with the keyboard alone, starting from the top of the page."""

from answering import first_of, form_id, form_of, letters_shown, right_answer, status_of
from built_site import chapter_page

from why_sqrt_d.exercises import Choice, Number, Order

FOCUSED = "e => document.activeElement.matches(e)"
LIMIT = 400


def tab_to(page, selector, key="Tab"):
    """Press Tab until the element has the focus; the focus must be visible there."""
    for _ in range(LIMIT):
        if page.evaluate(FOCUSED, selector):
            assert page.evaluate(
                "getComputedStyle(document.activeElement).outlineStyle !== 'none' ||"
                " getComputedStyle(document.activeElement).boxShadow !== 'none'"
            ), f"no visible focus on {selector}"
            return
        page.keyboard.press(key)
    raise AssertionError(f"{LIMIT} times {key} did not reach {selector}")


def test_a_number(visit):
    exercise = first_of(Number)
    page = visit(chapter_page(exercise.chapter)).page
    tab_to(page, f"#{form_id(exercise)}-answer")
    page.keyboard.type(right_answer(exercise))
    page.keyboard.press("Enter")
    assert status_of(page, exercise).startswith("✓ Right.")


def test_a_choice(visit):
    exercise = first_of(Choice)
    page = visit(chapter_page(exercise.chapter)).page
    tab_to(page, f"#{form_id(exercise)} input[type=radio]")
    page.keyboard.press("Space")
    for _ in exercise.kind.options:
        if page.evaluate("document.activeElement.value") == right_answer(exercise):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert status_of(page, exercise).startswith("✓ Right.")


def test_an_order(visit):
    exercise = first_of(Order)
    page = visit(chapter_page(exercise.chapter)).page
    form, wanted = form_of(page, exercise), right_answer(exercise)
    inside = f"#{form_id(exercise)}"
    tab_to(page, f"{inside} button")
    shown = letters_shown(form)
    tab_to(page, f"{inside} button[aria-label='Down: step {shown[0]}']")
    page.keyboard.press("Enter")
    assert letters_shown(form) == shown[1] + shown[0] + shown[2:]
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
    assert status_of(page, exercise).startswith("✓ Right.")
