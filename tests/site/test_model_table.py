"""The table of real models: a field that narrows it, and the whole table without JavaScript."""

import pytest

PAGE = "book/07-real-models.html"


@pytest.fixture
def page(visit):
    return visit(PAGE).page


def shown(page):
    return page.locator("table.filtered tbody tr:visible").count()


def test_words_narrow_the_table_and_the_count_is_announced(page):
    whole = page.locator("table.filtered tbody tr").count()
    field, status = page.get_by_label("Show the rows that contain"), page.get_by_role("status")
    count = status.filter(has_text="rows")
    assert shown(page) == whole > 30
    assert count.inner_text() == f"{whole} of {whole} rows"
    field.fill("GEMMA 27b")
    assert shown(page) == 2
    assert count.inner_text() == f"2 of {whole} rows"
    field.fill("no such model")
    assert shown(page) == 0
    field.press("Escape")
    assert shown(page) == whole


def test_the_keyboard_reaches_the_field_and_the_box(page):
    field = page.get_by_label("Show the rows that contain")
    field.focus()
    page.keyboard.type("whisper")
    assert shown(page) == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "table-box"


def test_without_javascript_the_whole_table_stays(visit):
    page = visit(PAGE, javascript=False).page
    rows = page.locator("table.filtered tbody tr")
    assert shown(page) == rows.count() > 30
    assert page.locator(".table-filter").count() == 0
    assert "Grok-1" in page.locator("table.filtered").inner_text()
