"""What is solved is remembered, counted below the last exercise, and forgettable."""

from answering import EXERCISES, answer_on, first_of, form_of, right_answer
from built_site import chapter_page

from why_sqrt_d.exercises import Choice, Number


def counted(page):
    return page.locator(".exercise-progress [role=status]").inner_text()


def mark(page, exercise):
    return form_of(page, exercise).locator(".exercise-solved").inner_text()


def clear(page):
    """Clear the chapter's answers, which asks first."""
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator(".exercise-progress details").evaluate("d => { d.open = true; }")
    page.locator(".exercise-progress [data-do=clear]").click()


def test_progress_is_remembered_counted_and_cleared(visit):
    exercise = first_of(Number)
    total = sum(e.chapter == exercise.chapter for e in EXERCISES.values())
    opened = visit(chapter_page(exercise.chapter))
    page = opened.page
    assert counted(page) == f"You have solved 0 of {total} exercises."
    answer_on(page, exercise, right_answer(exercise))
    asked = len(opened.requests)
    page.reload()
    assert counted(page) == f"You have solved 1 of {total} exercises."
    assert mark(page, exercise) == "Solved ✓"
    assert form_of(page, exercise).locator("input").input_value() == right_answer(exercise)
    assert len(opened.requests) > asked, "the page was read again"
    clear(page)
    assert counted(page).endswith(f"You have solved 0 of {total} exercises.")
    page.reload()
    assert counted(page) == f"You have solved 0 of {total} exercises."
    assert mark(page, exercise) == ""


def test_chapters_are_counted_apart(visit):
    exercise = first_of(Choice)
    opened = visit(chapter_page(exercise.chapter))
    answer_on(opened.page, exercise, right_answer(exercise))
    assert " 1 of " in counted(opened.page)
    others = {e.chapter for e in EXERCISES.values()} - {exercise.chapter}
    assert others
    for chapter in (min(others), max(others)):
        opened.go(chapter_page(chapter))
        assert " 0 of " in counted(opened.page)
    another = next(e for e in EXERCISES.values() if e.chapter == max(others))
    answer_on(opened.page, another, right_answer(another))
    clear(opened.page)
    opened.go(chapter_page(exercise.chapter))
    assert " 1 of " in counted(opened.page), "another chapter's Clear leaves this one alone"


def test_the_count_stands_below_the_last_exercise(visit):
    page = visit(chapter_page("1")).page
    before = page.locator(".exercise-progress").evaluate("e => e.previousElementSibling.className")
    assert "exercise" in before.split()
    assert page.locator(".exercise-progress ~ .cell.exercise").count() == 0
